import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";
import { verify } from "../../../src/audit/verify.js";
import { pushedNames } from "../../../src/domain/imports/fields.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { makeLateReports } from "../../../src/workers/imports/upkeep/lateReports.js";
import { eventually } from "../../support/eventually.js";
import { append, tell } from "../../support/importStory.js";
import { type Role, startProjector, startWorker } from "../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";
import { beforeChunks } from "../../support/stores/chunkAppends.js";
import { activities, activityHeader, badActivity, goodActivity } from "./stage.js";

let service: TestService;
let projector: Role;
beforeAll(async () => {
  service = await startTestService();
  projector = startProjector(service);
});
afterAll(async () => {
  await projector?.stop();
  await service?.close();
});

interface Shown {
  readonly status: string;
  readonly counts: { readonly received: number; readonly failed: number };
  readonly errorReportUrl: string | null;
}

const { signal } = new AbortController();
const makeDue = () => makeLateReports({ ...service.deps, signal }, service.deps.tempDir);
const check = async (organisation: TestOrganisation, statusUrl: string) => (await (await organisation.get(statusUrl)).json()) as Shown;
const cancel = async (organisation: TestOrganisation, statusUrl: string) =>
  (await (await organisation.post(`${statusUrl}/cancel`, {})).json()) as Shown;
const table = async (importId: string) =>
  (await service.pool.query<{ status: string }>("select status from imports where import_id = $1", [importId])).rows[0]?.status;

/** The workbook behind a link, header first. */
async function opened(link: string): Promise<string[][]> {
  const answer = await fetch(link.replace(service.deps.publicUrl, service.url));
  expect(answer.status).toBe(200);
  const path = join(service.deps.tempDir, randomUUID());
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  const rows: string[][] = [[...(await spreadsheets.readHeader(path, "report.xlsx")).columns]];
  for await (const batch of spreadsheets.readRows(path)) rows.push(...batch.rows.map((row) => row.cells.map(String)));
  return rows;
}

/** Every rejected row that the API lists, as the report ought to show it. */
async function listed(organisation: TestOrganisation, statusUrl: string, columns: readonly string[]): Promise<string[][]> {
  type Page = { items: { row: number; error: string; data: Record<string, string> }[]; nextCursor: string | null };
  const rows: string[][] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Page = (await (await organisation.get(`${statusUrl}/errors?limit=500${cursor && `&cursor=${cursor}`}`)).json()) as Page;
    rows.push(...page.items.map(({ row, error, data }) => [String(row), error, ...columns.map((name) => data[name] ?? "")]));
    cursor = page.nextCursor;
  }
  return rows;
}

/** A worker's event store, which takes the first rows and holds back the next until it is told to go on. */
function heldUp(store: EventStore) {
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((open) => {
    goOn = open;
  });
  let chunks = 0;
  const eventStore = beforeChunks(store, () => (++chunks > 1 ? gate : undefined));
  return { eventStore, goOn, isHolding: () => chunks > 1 };
}

/** Pushes, and cancels while the worker is between its first rows and the next. */
async function cancelledWhileRunning(organisation: TestOrganisation, push: () => Promise<Response>) {
  const held = heldUp(service.eventStore);
  const worker = startWorker({ ...service, deps: { ...service.deps, eventStore: held.eventStore } });
  const { statusUrl } = (await (await push()).json()) as { statusUrl: string };
  await eventually(held.isHolding, "the first rows to be recorded");
  expect((await check(organisation, statusUrl)).errorReportUrl).toBeNull();
  await cancel(organisation, statusUrl);
  held.goOn();
  return { statusUrl, worker };
}

const upload = (organisation: TestOrganisation, csv: string) =>
  organisation.upload("/v1/org/fulfilment/activities/file", new File([csv], "test.csv"));

describe("an import that is cancelled while it runs", () => {
  const rowCount = 2_400;

  test.each([
    [
      "activities of a file",
      [...activityHeader.split(",")],
      (organisation: TestOrganisation) =>
        upload(
          organisation,
          activities(rowCount, (index) => (index % 7 === 0 ? badActivity(`=${index}`) : goodActivity(index))),
        ),
    ],
    [
      "shipments of a push",
      [
        ...["shipmentId", "customerId", "originPostCode", "originSuburb", "originState", "originCountryCode"],
        ...["destinationPostCode", "destinationSuburb", "destinationState", "destinationCountryCode"],
        ...["quoteDate", "rateCardAlias", "totalCostReceived", "customFields.project", "itemType", "itemQuantity", "itemWeight"],
      ],
      (organisation: TestOrganisation) =>
        organisation.post("/v1/org/shipments/imports", {
          shipments: Array.from({ length: rowCount / 3 }, (_, index) => ({
            shipmentId: `S${index}`,
            originPostCode: index % 5 === 0 ? "9999" : "2000",
            destinationPostCode: "3000",
            ...(index % 10 === 0 ? { customFields: { project: `p${index}` } } : {}),
            items: [1, 2, 3].map((itemQuantity) => ({ itemType: "Carton", itemQuantity })),
          })),
        }),
    ],
  ])("has a report of the rows that were rejected until then: %s", async (_, columns, push) => {
    const organisation = await service.organisation();
    const { statusUrl, worker } = await cancelledWhileRunning(organisation, () => push(organisation));
    await eventually(async () => (await check(organisation, statusUrl)).errorReportUrl !== null, "the link to the report");
    await worker.stop();
    const { status, counts, errorReportUrl } = await check(organisation, statusUrl);
    expect(status).toBe("cancelled");
    expect(counts.received).toBeLessThan(rowCount);
    const [header, ...rows] = await opened(errorReportUrl ?? "");
    expect(header).toEqual(["Row number", "Rejection reason", ...columns]);
    expect(rows).toHaveLength(counts.failed);
    expect(rows).toEqual(await listed(organisation, statusUrl, columns));
  });

  test("has none when nothing was rejected until then", async () => {
    const organisation = await service.organisation();
    const push = () =>
      upload(
        organisation,
        activities(rowCount, (index) => (index === rowCount - 1 ? badActivity(index) : goodActivity(index))),
      );
    const { statusUrl, worker } = await cancelledWhileRunning(organisation, push);
    await worker.stop();
    await eventually(async () => (await table(statusUrl.split("/").at(-1) ?? "")) === "cancelled", "the projection");
    await makeDue();
    expect(await check(organisation, statusUrl)).toMatchObject({ status: "cancelled", counts: { failed: 0 }, errorReportUrl: null });
  });
});

test("an import that is cancelled in the queue has no report", async () => {
  const organisation = await service.organisation();
  const { importId, statusUrl } = (await (await upload(organisation, activities(3, badActivity))).json()) as Record<string, string> & {
    statusUrl: string;
  };
  await cancel(organisation, statusUrl);
  await eventually(async () => (await table(importId ?? "")) === "cancelled", "the projection");
  await makeDue();
  expect(await check(organisation, statusUrl)).toMatchObject({ status: "cancelled", errorReportUrl: null });
});

test("the audit is clean after all of that", async () => {
  const { pool, eventStore, objectStore, deps } = service;
  const verification = await verify({
    ...{ pool, eventStore, objectStore, tempDir: deps.tempDir, signal },
    organisationId: undefined,
    files: true,
  });
  expect(verification.findings.count).toBe(0);
  expect(verification.imports).toBe(4);
});

describe("from its stream alone", () => {
  async function told(end: "failed" | "cancelled" | "running", source: "data" | "file" = "data") {
    const organisation = await service.organisation();
    const data = { warehouseCode: "W1", quantity: "2", reference: "a" };
    const story = tell({
      organisationId: organisation.id,
      kind: "activities",
      source,
      end,
      rows: [
        { reject: "Charge code is required", data },
        { reject: "x", data: { warehouseCode: "W2" } },
      ],
    });
    await append(service.eventStore, story);
    await eventually(async () => (await table(story.importId)) === (end === "running" ? "processing" : end), "the projection");
    await ended(story.importId, 0); // the story's own times are old
    return { organisation, importId: story.importId, statusUrl: `/v1/org/fulfilment/imports/${story.importId}` };
  }
  const ended = (importId: string, hoursAgo: number) =>
    service.pool.query(
      "update imports set finished_at = now() - make_interval(hours => $2) where import_id = $1 and finished_at is not null",
      [importId, hoursAgo],
    );
  const linkOf = async ({ organisation, statusUrl }: Awaited<ReturnType<typeof told>>) =>
    (await check(organisation, statusUrl)).errorReportUrl;

  test("a failed import has its report too, also when its file is gone, with every column of a push", async () => {
    const failed = await told("failed");
    expect(await linkOf(failed)).toBeNull();
    await makeDue();
    expect(await opened((await linkOf(failed)) ?? "")).toEqual([
      ["Row number", "Rejection reason", ...pushedNames("activity")],
      ["1", "Charge code is required", "W1", "", "2", "", "", "a", ""],
      ["2", "x", "W2", "", "", "", "", "", ""],
    ]);
  });

  test("a report that could not be stored is offered once it is, and holds up no other", async () => {
    const [first, second] = [await told("cancelled"), await told("cancelled")];
    const failing = `reports/${first.importId}.xlsx`;
    const objectStore: typeof service.objectStore = {
      ...service.objectStore,
      put: (key, ...rest) => (key === failing ? Promise.reject(new Error("no room")) : service.objectStore.put(key, ...rest)),
    };
    const deps = { ...service.deps, objectStore, signal };
    const minutes = async () => {
      const left = "select round(extract(epoch from claimed_until - now()) / 60)::int as minutes from late_reports where import_id = $1";
      return (await service.pool.query<{ minutes: number }>(left, [first.importId])).rows[0]?.minutes;
    };
    const wait = () => service.pool.query("update late_reports set claimed_until = now() - interval '1 second' where report_key is null");
    await makeLateReports(deps, service.deps.tempDir);
    expect([await linkOf(first), await linkOf(second)]).toEqual([null, expect.stringContaining(second.importId)]);
    expect(await minutes()).toBe(5);
    await wait();
    await makeLateReports(deps, service.deps.tempDir);
    expect(await minutes()).toBe(10);
    await service.pool.query("update late_reports set attempts = 1000 where import_id = $1", [first.importId]);
    await wait();
    await makeLateReports(deps, service.deps.tempDir);
    expect(await minutes()).toBe(24 * 60);
    await wait();
    await makeDue();
    expect(await linkOf(first)).toContain(first.importId);
  });

  test("a running import has none, and one that was made stays as it is", async () => {
    const [running, cancelled] = [await told("running", "file"), await told("cancelled", "file")];
    await makeDue();
    expect(await service.objectStore.exists(`reports/${running.importId}.xlsx`)).toBe(false);
    expect(await linkOf(running)).toBeNull();
    await service.pool.query("update imports set status = 'cancelled', finished_at = now() where import_id = $1", [running.importId]); // damaged
    await makeDue();
    expect(await service.objectStore.exists(`reports/${running.importId}.xlsx`)).toBe(false);
    expect(await linkOf(running)).toBeNull();
    const stored: string[] = [];
    const put: typeof service.objectStore.put = async (key) => void stored.push(key);
    await service.pool.query("update late_reports set claimed_until = now() - interval '1 second' where import_id = $1", [
      cancelled.importId,
    ]);
    await makeLateReports({ ...service.deps, objectStore: { ...service.objectStore, put }, signal }, service.deps.tempDir);
    expect(stored).toEqual([]);
    expect(await linkOf(cancelled)).toContain(cancelled.importId);
  });

  test("an end is looked for 30 days back", async () => {
    const [late, tooLate] = [await told("cancelled"), await told("cancelled")];
    await ended(late.importId, 30 * 24 - 1);
    await ended(tooLate.importId, 30 * 24 + 1);
    await makeDue();
    expect([await linkOf(late), await linkOf(tooLate)]).toEqual([expect.stringContaining(late.importId), null]);
  });

  test("the few imports that ended early are found without reading all imports", async () => {
    await service.pool.query(`
      insert into imports (import_id, position, organisation_id, kind, source, source_details, status, progress, received, processed, failed,
                           file_key, file_name, file_size, file_sha256, requested_by, notes, submitted_at, finished_at, revision)
      select gen_random_uuid(), -n, 'elsewhere', 'activities', 'data', '', 'completed', 100, 2, 1, 1, '', '', 0, '', '', '[]', now(), now(), 1
        from generate_series(1, 20000) as n`);
    await service.pool.query("analyze imports");
    const asked: [string, unknown[]][] = [];
    const query = (sql: string, values: unknown[]) => {
      asked.push([sql, values]);
      return Promise.resolve({ rows: [] });
    };
    await makeLateReports({ ...service.deps, pool: { query } as unknown as typeof service.pool, signal }, service.deps.tempDir);
    const [[sql, values] = ["", []]] = asked;
    const plan = await service.pool.query<{ "QUERY PLAN": string }>(`explain ${sql}`, values);
    expect(plan.rows.map((row) => row["QUERY PLAN"]).join("\n")).toContain("imports_ended_early");
  });

  test("reports are made again when the database has forgotten them", async () => {
    const cancelled = await told("cancelled");
    await makeDue();
    await service.pool.query("delete from late_reports where import_id = $1", [cancelled.importId]);
    expect(await linkOf(cancelled)).toBeNull();
    await makeDue();
    expect(await linkOf(cancelled)).toContain(cancelled.importId);
  });
});
