import { afterAll, beforeAll, expect, test } from "vitest";
import { withSnapshot } from "../../src/audit/compareImport.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";

let model: ReadModel;
beforeAll(async () => {
  model = await startReadModel();
  await model.record({ kind: "activities" });
  await model.project();
});
afterAll(() => model?.close());

test("an aborted snapshot does not wait for its running statement, and releases its locks on the tables", async () => {
  const stop = new AbortController();
  const { pool } = model;
  const looking = withSnapshot({ pool, signal: stop.signal }, async ({ client }) => {
    const waiting = client.query("select pg_sleep(3600)");
    stop.abort(new Error("enough"));
    await waiting;
  });
  await expect(looking).rejects.toThrow("enough");
  await pool.query("begin; lock table imports in access exclusive mode; commit");
  await expect(withSnapshot({ pool, signal: stop.signal }, async () => undefined)).rejects.toThrow("enough");
});

test("a lost connection is reported as such, with the reason", async () => {
  const { pool } = model;
  const looking = withSnapshot({ pool, signal: new AbortController().signal }, async ({ client }) => {
    const { rows } = await client.query("select pg_backend_pid() as pid");
    const gone = new Promise((resolve) => client.once("error", resolve));
    await pool.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
    await gone;
    await client.query("select 1");
  });
  await expect(looking).rejects.toThrow(/was lost, run it again: terminating connection due to administrator command/);
});
