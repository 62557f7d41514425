// The least a Hono service could do: the same body through the same zod schema, and a constant for an answer.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { quoteRequest } from "../../dist/domain/rating/quoteRequest.js";

const { answers } = JSON.parse(process.argv[2]);
const app = new Hono();
app.post("/quotes/:customers", async (c) => {
  const parsed = quoteRequest.safeParse(await c.req.json());
  return parsed.success ? c.json(answers[c.req.param("customers")]) : c.json({ message: "invalid" }, 400);
});
app.get("/quotes/:id", (c) => c.json(answers.fetched));
const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => process.send({ port }));
process.once("disconnect", () => server.close(() => process.exit(0)));
