// What those that small pushes are compared with share: the API's two routes, the look-up of its key, and a file that is on disk.
import { createHash } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import process from "node:process";
import { serve } from "@hono/node-server";
import { Hono } from "hono";

export const pushFields = ["warehouseCode", "chargeCode", "activityTimestamp", "quantity", "customerId", "reference", "status"];

export const keyLookUp = (pool) => async (key) => {
  const sha256 = createHash("sha256")
    .update(key ?? "")
    .digest("hex");
  const { rows } = await pool.query("select organisation_id from api_keys where sha256 = $1 and revoked_at is null", [sha256]);
  return rows[0]?.organisation_id;
};

/** `accept` returns the import's id. Tells the parent process the port. */
export function servePushes(organisationOf, { accept, isCompleted }) {
  const app = new Hono();
  app.post("/v1/org/fulfilment/activities", async (c) => {
    const organisation = await organisationOf(c.req.header("x-api-key"));
    if (organisation === undefined) return c.json({ message: "unknown key" }, 401);
    const { activities } = await c.req.json();
    const id = await accept(organisation, activities);
    return c.json({ importId: id, statusUrl: `/v1/org/fulfilment/imports/${id}` }, 202);
  });
  app.get("/v1/org/fulfilment/imports/:id", async (c) => {
    if ((await organisationOf(c.req.header("x-api-key"))) === undefined) return c.json({ message: "unknown key" }, 401);
    return c.json({ status: (await isCompleted(c.req.param("id"))) ? "completed" : "queued" });
  });
  serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => process.send({ port }));
}

/** The file is on disk when this resolves. */
export async function storeFile(folder, path, text) {
  await mkdir(folder, { recursive: true });
  const file = await open(`${path}.new`, "w");
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await rename(`${path}.new`, path);
  const parent = await open(folder, "r");
  await parent.sync();
  await parent.close();
}
