// Error reports that were removed from the object store: made again when a client reads the import, or follows the link.
import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askForReport } from "../../../src/commands/imports/storedObjects.js";
import { checkStoredReport } from "../../../src/http/api/missingReports.js";
import type { ObjectStore } from "../../../src/ports/objectStore.js";
import { makeLateReports } from "../../../src/workers/imports/upkeep/lateReports.js";
import { eventually } from "../../support/eventually.js";
import { activity, append, tell } from "../../support/importStory.js";
import { type Role, startProjector, startWorker } from "../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";
import { workbookIn } from "./lateReportStage.js";

let service: TestService;
let organisation: TestOrganisation;
let projector: Role;
let worker: Role;
beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  projector = startProjector(service);
  worker = startWorker(service);
});
afterAll(async () => {
  await worker?.stop();
  await projector?.stop();
  await service?.close();
});

interface Shown {
  readonly status: string;
  readonly errorReportUrl: string | null;
}
const check = async (statusUrl: string) => (await (await organisation.get(statusUrl)).json()) as Shown;
const keyOf = async (importId: string) =>
  (await service.pool.query<{ key: string }>("select report_key as key from imports where import_id = $1", [importId])).rows[0]?.key ?? "";
const follow = (link: string | null) => fetch((link ?? "").replace(service.deps.publicUrl, service.url));

/** Follows the link again while the answer is 503: on a busy machine making the report may take longer than a request waits. */
async function served(link: string | null): Promise<Response> {
  let answer = await follow(link);
  const answered = async () => {
    if (answer.status === 503) answer = await follow(link);
    return answer.status !== 503;
  };
  await eventually(answered, "the report");
  return answer;
}

const opened = (answer: Response) => workbookIn(answer, service);

const header = "Warehouse Code,chargeCode,quantity,Activity_Timestamp,reference,status";
const csv = [
  header,
  "W1,PICK,2,2026-03-01T09:30:00Z,a,",
  `W1,,2,2026-03-01T09:30:00Z,=b,${"long ".repeat(190)}`,
  "W1,PICK,2,2026-03-01T09:30:00Z,c,",
  "W1,PICK,0,2026-03-01T09:30:00Z,d,",
].join("\n");

async function completed(more = "") {
  const push = await organisation.upload("/v1/org/fulfilment/activities/file", new File([csv + more], "test.csv"));
  const { importId, statusUrl } = (await push.json()) as { importId: string; statusUrl: string };
  await eventually(async () => (await check(statusUrl)).status === "completed", "the import");
  return { importId, statusUrl, key: await keyOf(importId) };
}
const isStored = (key: string) => service.objectStore.exists(key);

test.each([
  ["read into memory", ""],
  ["fetched into a folder", "\nW1,PICK,2,2026-03-01T09:30:00Z,e,".repeat(2_000)],
])("a removed report of a completed import whose file is %s is made again with the same rows when the import is read", async (_, more) => {
  const { statusUrl, key } = await completed(more);
  const { errorReportUrl } = await check(statusUrl);
  const before = await opened(await follow(errorReportUrl));
  expect(before).toHaveLength(3);
  expect(before[0]).toEqual(["Row number", "Rejection reason", ...header.split(",")]);

  const other = await completed(more);
  await service.objectStore.remove(other.key);
  expect((await check(other.statusUrl)).errorReportUrl).toContain(other.importId);
  const readAgain = async () => (await check(other.statusUrl)) && isStored(other.key);
  await eventually(readAgain, "the report");
  expect(await opened(await follow((await check(other.statusUrl)).errorReportUrl))).toEqual(before);
  expect(await isStored(key)).toBe(true);
});

test("a client that follows the link of a removed report gets the report, and ten requests at once make it only once", async () => {
  const { importId, statusUrl, key } = await completed();
  const { errorReportUrl } = await check(statusUrl);
  await service.objectStore.remove(key);
  const answers = await Promise.all(Array.from({ length: 10 }, () => served(errorReportUrl)));
  for (const answer of answers) expect(await opened(answer)).toHaveLength(3);
  const made = await service.pool.query("select attempts from late_reports where import_id = $1", [importId]);
  expect(made.rows).toEqual([{ attempts: 1 }]);
});

test("without a worker the link of a removed report answers 503 with retry-after; the stream alone is enough to make the report", async () => {
  const { importId, statusUrl, key } = await completed();
  const { errorReportUrl } = await check(statusUrl);
  await worker.stop();
  try {
    await service.objectStore.remove(key);
    for await (const upload of service.objectStore.list(`uploads/${organisation.id}/`)) await service.objectStore.remove(upload.key);
    const answer = await follow(errorReportUrl);
    expect(answer.status).toBe(503);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    await makeLateReports({ ...service.deps, signal: new AbortController().signal }, service.deps.tempDir);
    const rows = await opened(await follow(errorReportUrl));
    expect(rows.map((row) => row.slice(0, 2))).toEqual([
      ["Row number", "Rejection reason"],
      ["3", "Charge code is required"],
      ["5", expect.stringContaining("uantity")],
    ]);
    const late = await service.pool.query("select report_key from late_reports where import_id = $1", [importId]);
    expect(late.rows).toEqual([{ report_key: key }]);
  } finally {
    worker = startWorker(service);
  }
});

test("a removed report of a cancelled import is made again too, also 60 days after the cancellation", async () => {
  const data = { warehouseCode: "W1", quantity: "2", reference: "a" };
  const story = tell({
    organisationId: organisation.id,
    kind: "activities",
    end: "cancelled",
    rows: [{ reject: "Charge code is required", data }],
  });
  await append(service.eventStore, story);
  const statusUrl = `/v1/org/fulfilment/imports/${story.importId}`;
  // The API says that an import is cancelled before the tables have it.
  const endLongAgo = "update imports set finished_at = now() - interval '60 days' where import_id = $1 and status = 'cancelled'";
  await eventually(async () => (await service.pool.query(endLongAgo, [story.importId])).rowCount === 1, "the import in the tables");
  expect(await askForReport(service.pool, story.importId)).toBe(true);
  await eventually(async () => (await check(statusUrl)).errorReportUrl !== null, "its report");
  const { errorReportUrl } = await check(statusUrl);
  for await (const { key } of service.objectStore.list("reports/")) if (key.includes(story.importId)) await service.objectStore.remove(key);
  expect(await opened(await served(errorReportUrl))).toHaveLength(2);
  // An attempt that has failed is not the last one.
  await service.pool.query("update late_reports set report_key = null, attempts = 1, claimed_until = now() where import_id = $1", [
    story.importId,
  ]);
  await eventually(async () => (await check(statusUrl)).errorReportUrl !== null, "its report once more");
});

test("no report is made for an import without rejected rows, or for a made-up id", async () => {
  const story = tell({
    organisationId: organisation.id,
    kind: "activities",
    end: "completed",
    rows: [{ accept: activity() }],
  });
  await append(service.eventStore, story);
  await eventually(async () => (await check(`/v1/org/fulfilment/imports/${story.importId}`)).status === "completed", "the projection");
  expect([await askForReport(service.pool, story.importId), await askForReport(service.pool, randomUUID())]).toEqual([false, false]);
});

test("reading imports does not wait for the check whether a report is stored, and at most four checks run at once, one for each import", () => {
  const answers: (() => void)[] = [];
  const exists = () => new Promise<boolean>((resolve) => answers.push(() => resolve(true)));
  const objectStore: ObjectStore = { ...service.objectStore, exists };
  const deps = { pool: service.pool, objectStore, logger: pino({ level: "silent" }) };
  for (let read = 0; read < 50; read += 1) checkStoredReport(deps, "one", "reports/one.xlsx");
  expect(answers).toHaveLength(1);
  for (let read = 0; read < 50; read += 1) checkStoredReport(deps, `import-${read}`, "reports/other.xlsx");
  expect(answers).toHaveLength(4);
  for (const answer of answers) answer();
});
