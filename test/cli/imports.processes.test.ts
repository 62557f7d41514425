import { afterAll, beforeAll, expect, test } from "vitest";
import { streamOf } from "../../src/events/streams.js";
import { runProjector } from "../../src/projections/running/runProjector.js";
import { useCommandLine } from "../support/commandLine.js";
import { activity, append, tell } from "../support/importStory.js";
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

test("what an import wrote is reversed by rows and as a whole, and a preview records nothing", async () => {
  const organisation = await stage.organisation("reversing");
  const { importId } = await recorded(organisation);
  const preview = await run("reverse", importId, "--reason", "sent twice", "--rows", "2,3-4", "--preview");
  expect(preview.stdout.split("\n").slice(0, 2)).toEqual([`${importId}: 3 would be reversed`, "  already reversed: 0"]);
  expect(await reversals(importId)).toEqual([]);
  const some = JSON.parse((await run("reverse", importId, "--reason", "sent twice", "--rows", "2,3-4", "--json")).stdout);
  expect(some).toMatchObject({ importId, reversed: 3, alreadyReversed: 0, corrections: [] });
  const all = await run("reverse", importId, "--reason", "all of it");
  expect(all).toMatchObject({ code: 0, stderr: "" });
  expect(all.stdout.split("\n").slice(0, 2)).toEqual([expect.stringMatching(`^${importId}: 2 reversed \\(`), "  already reversed: 3"]);
  expect(await reversals(importId)).toMatchObject([
    { rows: [[2, 4]], count: 3, reason: "sent twice", by: { kind: "cli" } },
    { rows: "all", count: 2, reason: "all of it" },
  ]);
});

async function recorded(organisationId: string) {
  const told = tell({ kind: "activities", organisationId, rows: Array.from({ length: 5 }, () => ({ accept: activity() })) });
  await append(stage.eventStore, told);
  await until(async () => (await status(told.importId)) === "completed");
  return told;
}

async function reversals(importId: string): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { data } of stage.eventStore.read(streamOf.reversals(importId))) found.push(data);
  return found;
}

const someImport = "00000000-0000-4000-8000-000000000000";

test.each([
  [["list", "--org", "nobody"], "There is no organisation nobody"],
  [["list", "--org", "operated", "--limit", "0"], "--limit must be a whole number from 1 to 10000"],
  [["cancel", "42"], "42 is not an import id"],
  [["cancel", someImport], "There is no import with this id"],
  [["reverse", someImport, "--reason", "x"], "There is no import with this id"],
  [["reverse", "42", "--reason", "x"], "42 is not an import id"],
  [["reverse", someImport, "--reason", " "], "--reason must have 1 to 500 characters"],
  [["reverse", someImport, "--reason", "x", "--rows", "1", "--shipments", "A"], "Give --rows or --shipments, not both"],
])("imports %j ends with one clear line", async (args, line) => {
  expect(await run(...args)).toMatchObject({ code: 1, stdout: "", stderr: `${line}\n` });
});
