// Error reports of imports that are cancelled while they run or while they wait in the queue.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { verify } from "../../../src/cli/audit/verify.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { eventually } from "../../support/eventually.js";
import { startWorker } from "../../support/roles.js";
import type { TestOrganisation, TestService } from "../../support/service.js";
import { beforeChunks } from "../../support/stores/chunkAppends.js";
import { type LateReportStage, openLateReportStage, type Shown, signal } from "./lateReportStage.js";
import { activities, activityHeader, badActivity, goodActivity } from "./stage.js";

let stage: LateReportStage;
let service: TestService;
beforeAll(async () => {
  stage = await openLateReportStage();
  service = stage.service;
});
afterAll(() => stage?.close());

const cancel = async (organisation: TestOrganisation, statusUrl: string) =>
  (await (await organisation.post(`${statusUrl}/cancel`, {})).json()) as Shown;

/** Every rejected row that the API lists, with the cells that the report must have. */
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

/** An event store for a worker: it appends the first chunk of rows, and holds back the next until `goOn` is called. */
function heldUp(store: EventStore) {
  let goOn: () => void = () => undefined;
  const gate = new Promise<void>((open) => {
    goOn = open;
  });
  let chunks = 0;
  const eventStore = beforeChunks(store, () => (++chunks > 1 ? gate : undefined));
  return { eventStore, goOn, isHolding: () => chunks > 1 };
}

/** Pushes, and cancels the import while the worker is between its first and its second chunk of rows. */
async function cancelledWhileRunning(organisation: TestOrganisation, push: () => Promise<Response>) {
  const held = heldUp(service.eventStore);
  const worker = startWorker({ ...service, deps: { ...service.deps, eventStore: held.eventStore } });
  onTestFinished(worker.stop);
  onTestFinished(held.goOn); // before the stop, which waits for the chunk that is held back
  const { statusUrl } = (await (await push()).json()) as { statusUrl: string };
  await eventually(held.isHolding, "the first rows to be recorded");
  expect((await stage.check(organisation, statusUrl)).errorReportUrl).toBeNull();
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
    await eventually(async () => (await stage.check(organisation, statusUrl)).errorReportUrl !== null, "the link to the report");
    await worker.stop();
    const { status, counts, errorReportUrl } = await stage.check(organisation, statusUrl);
    expect(status).toBe("cancelled");
    expect(counts.received).toBeLessThan(rowCount);
    const [header, ...rows] = await stage.opened(errorReportUrl ?? "");
    expect(header).toEqual(["Row number", "Rejection reason", ...columns]);
    expect(rows).toHaveLength(counts.failed);
    expect(rows).toEqual(await listed(organisation, statusUrl, columns));
  });

  test("has no report when no row was rejected until then", async () => {
    const organisation = await service.organisation();
    const push = () =>
      upload(
        organisation,
        activities(rowCount, (index) => (index === rowCount - 1 ? badActivity(index) : goodActivity(index))),
      );
    const { statusUrl, worker } = await cancelledWhileRunning(organisation, push);
    await worker.stop();
    await eventually(async () => (await stage.table(statusUrl.split("/").at(-1) ?? "")) === "cancelled", "the projection");
    await stage.makeDue();
    expect(await stage.check(organisation, statusUrl)).toMatchObject({ status: "cancelled", counts: { failed: 0 }, errorReportUrl: null });
  });
});

test("an import that is cancelled in the queue has no report", async () => {
  const organisation = await service.organisation();
  const { importId, statusUrl } = (await (await upload(organisation, activities(3, badActivity))).json()) as Record<string, string> & {
    statusUrl: string;
  };
  await cancel(organisation, statusUrl);
  await eventually(async () => (await stage.table(importId ?? "")) === "cancelled", "the projection");
  await stage.makeDue();
  expect(await stage.check(organisation, statusUrl)).toMatchObject({ status: "cancelled", errorReportUrl: null });
});

test("the audit finds nothing wrong with the imports of the tests above", async () => {
  const { pool, eventStore, objectStore, deps } = service;
  const verification = await verify({
    ...{ pool, eventStore, objectStore, tempDir: deps.tempDir, signal },
    organisationId: undefined,
    files: true,
  });
  expect(verification.findings.count).toBe(0);
  expect(verification.imports).toBe(4);
});
