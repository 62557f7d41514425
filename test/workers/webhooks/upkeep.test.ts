import { afterAll, beforeAll, expect, test } from "vitest";
import { removeWebhook } from "../../../src/commands/organisations/webhooks.js";
import { deleteOldDeliveries } from "../../../src/workers/webhooks/runWebhooks.js";
import { openStage, origin, type Stage } from "./stage.js";

let stage: Stage;
let organisationId: string;
beforeAll(async () => {
  stage = await openStage();
  organisationId = await stage.newOrganisation();
});
afterAll(() => stage?.close());

/** Adds a delivery with one attempt. Returns its id. */
async function insert(endpointId: string, status: string, ended: string | null): Promise<string> {
  const { rows } = await stage.pool.query<{ id: string }>(
    `insert into webhook_deliveries (endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, status, due_at, ended_at)
     values ($1, $2, gen_random_uuid(), 'import.started', gen_random_uuid(), 1, 1, now() - interval '90 days', $3, now(), now() - $4::interval)
     returning id::text`,
    [endpointId, organisationId, status, ended],
  );
  const id = rows[0]?.id ?? "";
  await stage.pool.query("insert into webhook_attempts values ($1, 1, now(), 5, 200, null, 'thank you')", [id]);
  return id;
}

test("ended deliveries are deleted with their attempts after 30 days, and not a minute earlier; a waiting one stays however old it is", async () => {
  const { endpointId } = await stage.add(organisationId, "https://erp.example.com/");
  const kept = [
    await insert(endpointId, "delivered", "29 days 23 hours 59 minutes"),
    await insert(endpointId, "failed", "29 days 23 hours 59 minutes"),
    await insert(endpointId, "waiting", null),
  ];
  for (const status of ["delivered", "failed", "dropped"]) await insert(endpointId, status, "30 days 1 minute");
  await deleteOldDeliveries(stage.pool);
  const ids = async (table: string, column: string) =>
    (await stage.pool.query<{ id: string }>(`select ${column}::text as id from ${table} order by ${column}`)).rows.map(({ id }) => id);
  expect(await ids("webhook_deliveries", "id")).toEqual(kept);
  expect(await ids("webhook_attempts", "delivery_id")).toEqual(kept);
});

test("a delivery that waits for a removed endpoint is dropped, with the reason", async () => {
  const { endpointId } = await stage.add(organisationId, "https://gone.example.com/");
  const id = await insert(endpointId, "waiting", null);
  await removeWebhook(stage.deps, { organisationId, endpointId }, origin);
  await deleteOldDeliveries(stage.pool);
  const { rows } = await stage.pool.query("select status, reason from webhook_deliveries where id = $1", [id]);
  expect(rows).toEqual([{ status: "dropped", reason: "The endpoint was removed" }]);
});

test("a claimed delivery to a removed endpoint is dropped once the claim has run out; one whose claim still holds is left alone", async () => {
  const { endpointId } = await stage.add(organisationId, "https://gone.example.com/");
  const [dead, living] = [await insert(endpointId, "waiting", null), await insert(endpointId, "waiting", null)];
  await stage.pool.query("update webhook_deliveries set claim = 'w0', due_at = now() - interval '1 second' where id = $1", [dead]);
  await stage.pool.query("update webhook_deliveries set claim = 'w1', due_at = now() + interval '10 seconds' where id = $1", [living]);
  await removeWebhook(stage.deps, { organisationId, endpointId }, origin);
  await deleteOldDeliveries(stage.pool);
  const { rows } = await stage.pool.query("select status, claim from webhook_deliveries where id = any($1::bigint[]) order by id", [
    [dead, living],
  ]);
  expect(rows).toEqual([
    { status: "dropped", claim: null },
    { status: "waiting", claim: "w1" },
  ]);
});

test("a wait of three days, begun while the database's clock was ahead, is ended; a back-off of an hour stays", async () => {
  const { endpointId } = await stage.add(organisationId, "https://erp.example.com/");
  const [wrong, usual] = [await insert(endpointId, "waiting", null), await insert(endpointId, "waiting", null)];
  await stage.pool.query("update webhook_deliveries set due_at = now() + interval '3 days', claim = 'w0' where id = $1", [wrong]);
  await stage.pool.query("update webhook_deliveries set due_at = now() + interval '1 hour' where id = $1", [usual]);
  await stage.pool.query("insert into webhook_health (endpoint_id, failures, retry_at) values ($1, 1, now() + interval '3 days')", [
    endpointId,
  ]);
  await deleteOldDeliveries(stage.pool);
  const { rows } = await stage.pool.query(
    "select due_at <= now() as due from webhook_deliveries where id = any($1::bigint[]) order by id",
    [[wrong, usual]],
  );
  expect(rows).toEqual([{ due: true }, { due: false }]);
  const health = await stage.pool.query("select retry_at from webhook_health where endpoint_id = $1", [endpointId]);
  expect(health.rows).toEqual([{ retry_at: null }]);
});
