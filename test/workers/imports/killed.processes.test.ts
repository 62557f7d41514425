import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { streamOf } from "../../../src/events/streams.js";
import { program } from "../../support/processes.js";
import { projectLog } from "../../support/projectLog.js";
import { activities, goodActivity, openStage, type Stage, until } from "./stage.js";

let stage: Stage;
let dataDir: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  stage = await openStage();
  dataDir = await mkdtemp(join(tmpdir(), "waybill-test-killed-"));
  await symlink(stage.objectsFolder, join(dataDir, "objects"));
});
afterAll(async () => {
  const running = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const exits = running.map((child) => once(child, "exit"));
  for (const child of running) child.kill("SIGKILL");
  await Promise.all(exits);
  await stage.close();
  await rm(dataDir, { recursive: true });
});

/** `waybill worker`, as in production. */
async function startWorker(): Promise<ChildProcess> {
  const environment = {
    DATABASE_URL: stage.databaseUrl,
    EVENTSTORE_URL: stage.store.address,
    DATA_DIR: dataDir,
    SIGNING_SECRET: "a secret of thirty-two characters",
    LOG_LEVEL: "error",
  };
  const child = spawn(process.execPath, [program, "worker"], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  children.push(child);
  await once(child, "message"); // ready
  return child;
}

const revisionOf = async (importId: string) => (await stage.eventStore.last(streamOf.import(importId)))?.revision ?? -1n;
const holder = async (organisation: string) =>
  (await stage.pool.query<{ worker: string | null }>("select worker from organisation_turns where organisation_id = $1", [organisation]))
    .rows[0]?.worker ?? "";

test("a frozen worker's import and a killed worker's import are finished by the other worker, with every row once", async () => {
  const organisation = await stage.organisation("perilous");
  const rows = 15_000;
  const isNegative = (index: number) => index === 0 || index === rows - 1; // one before the interruption, one after it
  const row = (index: number) => goodActivity(index).replace(",2,", isNegative(index) ? ",-2," : ",2,");
  const [first, second] = await Promise.all([startWorker(), startWorker()]);
  const holding = async () => ((await holder(organisation)).includes(`-${first.pid}#`) ? first : second);
  /** Pushes, and freezes the worker in the middle of the import. On a busy machine the import may have ended by then: then it pushes again. */
  const catchInTheMiddle = async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      await projectLog(stage); // an import ends once the organisation's earlier ones are in the tables
      const importId = await stage.push(organisation, "activities", activities(rows, row));
      await until(async () => (await revisionOf(importId)) > 500n);
      const worker = await holding();
      worker.kill("SIGSTOP");
      if ((await revisionOf(importId)) < BigInt(rows)) return { importId, worker };
      worker.kill("SIGCONT");
    }
    throw new Error("no import was caught in the middle");
  };
  const whole = async (importId: string) => {
    const events = await stage.ended(importId);
    expect(events).toHaveLength(rows + 3);
    expect(events.at(-1)).toMatchObject({ type: "ImportCompleted", data: { counts: { received: rows, processed: rows, failed: 0 } } });
    const unusual = { kind: "quantity", count: 2, rows: [2, rows + 1].map((each) => [each, each]) };
    expect(events.at(-1)?.data).toMatchObject({ unusual: expect.arrayContaining([unusual]) });
    expect(events.slice(2, -1).every((event, index) => (event.data as { row: number }).row === index + 2)).toBe(true);
    return events;
  };

  const { importId: frozenId, worker: frozen } = await catchInTheMiddle();
  const events = await whole(frozenId);
  frozen.kill("SIGCONT");

  const { importId: killedId, worker: killed } = await catchInTheMiddle();
  killed.kill("SIGKILL");
  await whole(killedId);
  expect(await stage.events(frozenId)).toHaveLength(events.length); // the thawed worker has written nothing since
});
