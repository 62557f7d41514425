// The least that a route with our promise does: it looks the key up in Postgres and appends one event with the plain client before it answers.
// It validates, prices and counts nothing, and nothing is projected of what it records. Its event and its answer are ones of ours.
import { createHash, randomUUID } from "node:crypto";
import { EventStoreDBClient, jsonEvent, NO_STREAM } from "@eventstore/db-client";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import pg from "pg";

const { databaseUrl, eventStoreUrl, models, fetched } = JSON.parse(process.argv[2]);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 20 });
const client = EventStoreDBClient.connectionString(eventStoreUrl);

async function organisationOf(c) {
  const sha256 = createHash("sha256")
    .update(c.req.header("x-api-key") ?? "")
    .digest("hex");
  const { rows } = await pool.query("select organisation_id from api_keys where sha256 = $1 and revoked_at is null", [sha256]);
  return rows[0]?.organisation_id;
}

const unknownKey = (c) => c.json({ message: "unknown key" }, 401);
const app = new Hono();

app.post("/quotes/:customers", async (c) => {
  const organisationId = await organisationOf(c);
  if (organisationId === undefined) return unknownKey(c);
  const { general } = await c.req.json();
  const model = models[c.req.param("customers")];
  if (general.customerIds.length !== model.event.results.length) return c.json({ message: "another number of customers" }, 400);
  const id = randomUUID();
  const data = { ...model.event, quotesId: id, organisationId };
  const event = jsonEvent({ id, type: "RecordedByDurableRoute", data, metadata: { organisation: organisationId, $correlationId: id } });
  await client.appendToStream(`durable-route-${id}`, event, { expectedRevision: NO_STREAM }); // a name that the projector does not follow
  return c.json(model.answer);
});

app.get("/recent/:id", async (c) => ((await organisationOf(c)) === undefined ? unknownKey(c) : c.json(fetched)));

app.get("/stored/:id", async (c) => {
  const organisationId = await organisationOf(c);
  if (organisationId === undefined) return unknownKey(c);
  const request = c.req.param("id").slice(0, 36);
  const found = "select recorded from quote_requests where organisation_id = $1 and quotes_id = $2 and not alone";
  const { rows } = await pool.query(found, [organisationId, request]);
  return rows[0] ? c.json(fetched) : c.json({ message: "no such quote" }, 404);
});

const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => process.send({ port }));
process.once("disconnect", () => server.close(() => process.exit(0)));
