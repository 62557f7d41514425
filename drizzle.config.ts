import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./src/projections/tables/*.ts",
  out: "./drizzle",
});
