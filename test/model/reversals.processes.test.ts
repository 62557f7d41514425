// After any sequence of pushes, corrections, dismissals and reversals on real stores everything that is read equals a simple model. Each seed
// is an organisation of its own, and several run at the same time.
import { randomInt } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import { verify } from "../../src/cli/audit/verify.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { everyCase } from "../support/projects/everyCase.js";
import { type Role, startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestService } from "../support/service.js";
import { compare } from "./reversalComparison.js";
import { newRun, type Run, takeStep } from "./reversalSteps.js";

const long = process.env["WAYBILL_LONG"] !== undefined;
const seeds = long ? 300 : everyCase ? 40 : 3;
const stepsEach = 14;
const atOnce = 4;
const firstSeed = Number(process.env["SEED"] ?? randomInt(1, 1_000_000_000));

let service: TestService;
let roles: Role[];

beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 1000 });
  roles = [startWorker(service), startProjector(service)];
});
afterAll(async () => {
  await Promise.all((roles ?? []).map((role) => role.stop()));
  await service?.close();
});

async function runSeed(seed: number): Promise<Run> {
  const run = await newRun(service, seed);
  try {
    for (let step = 0; step < stepsEach; step += 1) {
      await takeStep(run);
      if (step === 4 || step === 9) await run.remember();
    }
    await compare(run);
  } catch (error) {
    throw new Error(`seed ${seed} (repeat it with SEED=${seed}) after:\n${run.told.join("\n")}\n${error}`, { cause: error });
  }
  return run;
}

async function findNothing(): Promise<void> {
  const { pool, eventStore, objectStore, deps } = service;
  const options = { pool, eventStore, objectStore, tempDir: deps.tempDir, signal: new AbortController().signal };
  const { findings } = await verify({ ...options, organisationId: undefined, files: false });
  expect({ count: findings.count, first: findings.first }).toEqual({ count: 0, first: [] });
}

it("ledgers, totals of now and then, row states and answers equal the model, also after a rebuild, and the audit is clean", {
  timeout: 3_600_000,
}, async () => {
  const left = Array.from({ length: seeds }, (_, index) => firstSeed + index);
  const runs: Run[] = [];
  const failures: unknown[] = [];
  const work = async () => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift())
      await runSeed(seed).then(
        (run) => runs.push(run),
        (error) => failures.push(error),
      );
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join("\n\n"));
  await findNothing();
  const { comparisons } = await rebuild({
    ...{ pool: service.pool, eventStore: service.eventStore, logger: pino({ level: "silent" }), signal: new AbortController().signal },
    ...{ migrations: migrationStatements(), projections: allProjections },
  });
  const changed = comparisons.filter(({ live, rebuilt }) => live?.digest !== rebuilt.digest || live.rows !== rebuilt.rows);
  expect(changed.map(({ projection }) => projection)).toEqual([]);
  await findNothing();
  for (const run of runs.slice(0, atOnce)) await compare(run);
});
