// What a small push costs: the statements that the API, the worker, the projector and the webhooks' follower make for one row.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { transaction } from "../../../src/adapters/postgres/pool.js";
import { createPost } from "../../../src/adapters/webhooks/post.js";
import { runWebhooks } from "../../../src/workers/webhooks/runWebhooks.js";
import { until } from "../../support/processes.js";
import { startProjector, startWorker } from "../../support/roles.js";
import { organisationDeps, startTestService, type TestService } from "../../support/service.js";

let service: TestService;
const running: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  pg.Client.prototype.query = recording; // before the pools are made, which keep it
  service = await startTestService();
  running.push(startWorker(service), startProjector(service), startWebhooks());
});
afterAll(async () => {
  pg.Client.prototype.query = query;
  await Promise.all(running.map((each) => each.stop()));
  await service?.close();
});

function startWebhooks() {
  const { pool, eventStore, deps } = service;
  const control = new AbortController();
  const done = runWebhooks({
    ...{ pool, eventStore, logger: deps.logger, signingSecret: deps.signingSecret, signal: control.signal },
    ...{ rules: { allowPrivate: true }, objectStore: deps.objectStore, post: createPost(), workerId: "w" },
    organisations: organisationDeps(pool, eventStore),
    inTransaction: (work) => transaction(pool, work),
  });
  return {
    stop: async () => {
      control.abort();
      await done;
    },
  };
}

const ofTheTest = "/* the test's own */";

const { query } = pg.Client.prototype;
/** The statements of this process since it was emptied. */
let statements: string[] = [];
const recording = function (this: pg.Client, ...asked: unknown[]) {
  const text = typeof asked[0] === "string" ? asked[0] : ((asked[0] as { text?: string } | undefined)?.text ?? "");
  if (!text.includes(ofTheTest)) statements.push(...text.split(/;\s*(?=\S)/));
  return (query as (...args: unknown[]) => unknown).apply(this, asked);
} as typeof query;

test("a JSON push of one activity makes at most 28 statements until it is in the ledger and its webhooks are known", async () => {
  const organisation = await service.organisation();
  const pushOne = async (): Promise<string[]> => {
    statements = [];
    const activities = [{ warehouseCode: "W1", chargeCode: "PICK", activityTimestamp: "2026-10-01T10:00:00Z", quantity: 1 }];
    const answer = await organisation.post("/v1/org/fulfilment/activities", { activities });
    expect(answer.status).toBe(202);
    const { importId } = (await answer.json()) as { importId: string };
    await until("the import is in the tables and followed", async () => {
      const { rowCount } = await service.pool.query(
        `select from imports i ${ofTheTest} where import_id = $1 and status = 'completed'
            and exists (select from webhook_events e where e.import_id = i.import_id and e.type = 'import.completed')
            and not exists (select from organisation_turns t where t.import_id = i.import_id)`,
        [importId],
      );
      return rowCount === 1;
    });
    return statements;
  };
  await pushOne(); // the first one also makes the organisation's turn and loads its catalogue
  const pushes = [];
  for (let push = 0; push < 6; push += 1) pushes.push(await pushOne());
  // What is done now and then falls into some of the pushes, on a busy machine a heartbeat or a batch more: not into all of them.
  const fewest = pushes.toSorted((one, other) => one.length - other.length)[0] ?? [];
  expect(fewest.length, fewest.join("\n")).toBeGreaterThan(15);
  expect(fewest.length, fewest.join("\n")).toBeLessThanOrEqual(28);
});
