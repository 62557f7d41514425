import { afterAll, beforeAll, expect, test } from "vitest";
import { runProjector } from "../../src/projections/running/runProjector.js";
import { useCommandLine } from "../support/commandLine.js";
import { waybill } from "../support/processes.js";
import { activities, openStage, type Stage, until } from "../workers/imports/stage.js";

let stage: Stage;
const projector = new AbortController();
let projecting: Promise<void>;
beforeAll(async () => {
  stage = await openStage();
  projecting = runProjector({ pool: stage.pool, eventStore: stage.eventStore, logger: stage.logger, signal: projector.signal });
});
afterAll(async () => {
  projector.abort();
  await projecting;
  await stage.close();
});

const environment = () => ({
  DATABASE_URL: stage.databaseUrl,
  EVENTSTORE_URL: stage.store.address,
  SIGNING_SECRET: "a secret of thirty-two characters",
  DATA_DIR: stage.tempDir,
});
const command = useCommandLine();
const run = (...args: string[]) => command(["imports", ...args], environment());
const status = async (importId: string) =>
  (await stage.pool.query("select status from imports where import_id = $1", [importId])).rows[0]?.status;

test("imports are listed newest first, as text and as JSON, and cancelled by their id", async () => {
  const organisation = await stage.organisation("operated");
  const older = await stage.push(organisation, "activities", activities(1));
  const newer = await stage.push(organisation, "shipments", "shipmentId\n");
  await until(async () => (await status(newer)) === "queued");

  const cancelled = await waybill(["imports", "cancel", older], environment()); // in its own process; the other commands of this file share one
  expect(cancelled).toMatchObject({ code: 0, stdout: `${older} cancelled\n` });
  expect((await stage.events(older)).at(-1)).toMatchObject({
    type: "ImportCancelled",
    data: { by: { kind: "cli" as const, id: "operator" } },
  });
  await until(async () => (await status(older)) === "cancelled");

  const listed = await run("list", "--org", organisation);
  expect(listed.code).toBe(0);
  expect(listed.stdout.split("\n").slice(1, 3)).toEqual([
    expect.stringMatching(new RegExp(`^${newer}  shipments +queued`)),
    expect.stringMatching(new RegExp(`^${older}  activities +cancelled`)),
  ]);
  expect(JSON.parse((await run("list", "--org", organisation, "--limit", "1", "--json")).stdout)).toMatchObject([
    { importId: newer, kind: "shipments" },
  ]);
});

test.each([
  [["list", "--org", "nobody"], "There is no organisation nobody."],
  [["list", "--org", "operated", "--limit", "0"], "--limit must be a whole number from 1 to 10000"],
  [["cancel", "42"], "42 is not an import id."],
  [["cancel", "00000000-0000-4000-8000-000000000000"], "There is no import with this id."],
])("imports %j ends with one clear line", async (args, line) => {
  expect(await run(...args)).toMatchObject({ code: 1, stdout: "", stderr: `${line}\n` });
});
