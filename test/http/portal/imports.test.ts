import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dismissRows } from "../../../src/commands/corrections/dismissRows.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { catchUpImport } from "../../../src/projections/importRow.js";
import { activity, append, tell } from "../../support/importStory.js";
import { addMember, formToken, heading, signedIn, type Visitor } from "../../support/portal/portal.js";
import { type PortalStage, preparePortal } from "../../support/portal/portalStage.js";
import { projectLog } from "../../support/projectLog.js";
import { startTestService, type TestService } from "../../support/service.js";

let service: TestService;
let stage: PortalStage;
let operator: Visitor;
let viewer: Visitor;
beforeAll(async () => {
  service = await startTestService();
  stage = await preparePortal(service);
  operator = await signedIn(service, stage.people.operator);
  viewer = await signedIn(service, stage.people.viewer);
});
afterAll(() => service?.close());

const pageOf = async (who: Visitor, path: string) => (await who.get(path)).text();
/** The page's text without tags. */
const textOf = (page: string) => page.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
const references = (page: string) => [...page.matchAll(/<th scope="row"[^>]*><a [^>]*>(?:<span[^>]*>)?([^<]*)</g)].map(([, name]) => name);

describe("the list of imports", () => {
  let looking: Visitor;
  beforeAll(async () => {
    const { id } = await service.organisation();
    const stories = [
      { kind: "activities", sourceDetails: "Returns", end: "cancelled" },
      { kind: "shipments", sourceDetails: "friday-orders.xlsx", end: "failed" },
      { kind: "activities", sourceDetails: "July storage", end: "completed" },
      { kind: "shipments", sourceDetails: "monday-orders.csv", end: "running" },
      { kind: "activities", sourceDetails: "Nightly picks", end: "queued" },
    ] as const;
    for (const story of stories) {
      const { stream, events } = tell({ ...story, organisationId: id });
      await service.eventStore.append(stream, events, noStream);
    }
    await projectLog(service);
    looking = await signedIn(service, await addMember(service, id, "viewer"));
  });
  const listed = async (query: string) => references(await pageOf(looking, `/portal/imports${query}`));

  test("is newest first, and can be filtered by kind, status and reference", async () => {
    expect(await listed("")).toEqual(["Nightly picks", "monday-orders.csv", "July storage", "friday-orders.xlsx", "Returns"]);
    expect(await listed("?kind=activities&status=")).toEqual(["Nightly picks", "July storage", "Returns"]);
    expect(await listed("?status=failed")).toEqual(["friday-orders.xlsx"]);
    expect(await listed("?status=processing&kind=shipments")).toEqual(["monday-orders.csv"]);
    expect(await listed("?reference=ORDERS")).toEqual(["monday-orders.csv", "friday-orders.xlsx"]);
    expect(await pageOf(looking, "/portal/imports?reference=nowhere")).toContain("No imports match this filter");
  });

  test("is sorted by a heading, and downloaded as CSV, XLSX and JSON with the filter", async () => {
    expect(await listed("?sort=reference")).toEqual([
      "friday-orders.xlsx",
      "July storage",
      "monday-orders.csv",
      "Nightly picks",
      "Returns",
    ]);
    expect(await listed("?sort=-reference&kind=activities")).toEqual(["Returns", "Nightly picks", "July storage"]);
    expect(await pageOf(looking, "/portal/imports?sort=-reference")).toContain('aria-sort="descending"');
    const csv = await (await looking.get("/portal/imports.csv?kind=shipments")).text();
    expect(csv.split("\r\n").map((line) => line.split(",")[0])).toEqual(['"Reference"', '"monday-orders.csv"', '"friday-orders.xlsx"', ""]);
    const json = (await (await looking.get("/portal/imports.json?status=cancelled")).json()) as Record<string, unknown>[];
    expect(json).toMatchObject([{ reference: "Returns", status: "Cancelled", submitted: expect.stringMatching(/Z$/) }]);
    expect((await looking.get("/portal/imports.xlsx")).headers.get("content-disposition")).toBe('attachment; filename="imports.xlsx"');
  });

  test("ignores an invalid filter, and answers 400 to an invalid cursor", async () => {
    expect(await listed("?kind=x&status=__proto__")).toHaveLength(5);
    expect((await looking.get("/portal/imports?cursor=x")).status).toBe(400);
  });

  test("is paged by a cursor", async () => {
    const { id } = await service.organisation();
    for (let n = 1; n <= 51; n += 1) {
      const { stream, events } = tell({
        organisationId: id,
        kind: "activities",
        sourceDetails: `day ${n}`,
        rows: [{ accept: activity() }],
      });
      await service.eventStore.append(stream, events, noStream);
    }
    await projectLog(service);
    const who = await signedIn(service, await addMember(service, id, "viewer"));
    const first = await pageOf(who, "/portal/imports");
    expect(references(first)).toHaveLength(50);
    expect(first).toContain("1 to 50 of 51 imports");
    const next = /href="([^"]+)" rel="next">Next page</.exec(first)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await pageOf(who, next);
    expect(references(second)).toEqual(["day 1"]);
    expect(second).toContain("51 to 51 of 51 imports");
    expect(second).toContain(">First page<");
  });

  test("says so when an organisation has no imports", async () => {
    const { id } = await service.organisation();
    expect(await pageOf(await signedIn(service, await addMember(service, id, "operator")), "/portal/imports")).toContain("No imports yet");
  });
});

describe("an import's page", () => {
  test("shows what happened to the import, who did it, why rows were rejected, and the rejected rows", async () => {
    const page = await pageOf(viewer, `/portal/imports/${stage.importId}`);
    const text = textOf(page);
    expect(heading(page)).toBe("tuesday-orders.csv");
    expect(text).toContain("Rows read 60");
    expect(text).toContain("Rows rejected 30");
    expect(text).toMatch(/tuesday-orders\.csv \(48\.2 kB\) uploaded by key wb_live_1234/);
    expect(text).toContain("Started");
    expect(text).toMatch(/Completed, 30 rows rejected/);
    expect(text).toMatch(/Customer not found 21 rows/);
    expect(page).toMatch(/title="[\d-]+ [\d:]+ UTC"/);
    expect([...page.matchAll(/<th scope="row" data-label="Row">/g)]).toHaveLength(25);
    const next = /href="([^"]+)" rel="next">Next page</.exec(page)?.[1]?.replaceAll("&amp;", "&").split("#")[0] ?? "";
    expect([...(await pageOf(viewer, next)).matchAll(/<th scope="row" data-label="Row">/g)]).toHaveLength(5);
  });

  test("names the worker that went on after another one, and the row where it did", async () => {
    const rows = Array.from({ length: 500 }, () => ({ accept: activity() }));
    const { importId, stream, events } = tell({ organisationId: stage.organisationId, kind: "activities", rows });
    const takenUp = events.map((event, n) => (n < 321 ? event : { ...event, metadata: { ...event.metadata, actor: "worker:w2" } }));
    await service.eventStore.append(stream, takenUp, noStream);
    const text = textOf(await pageOf(viewer, `/portal/imports/${importId}`));
    expect(text).toContain("Started");
    const { row } = JSON.parse(events[321]?.json ?? "") as { row: number };
    expect(text).toContain(`Resumed after an interruption, from row ${row}`);
    expect(text.match(/Resumed/g)).toHaveLength(1);
  });

  test("links a correction to the import that it corrects, and back", async () => {
    const { importId, stream, events } = tell({ organisationId: stage.organisationId, kind: "shipments", sourceDetails: "mended.csv" });
    const corrects = { importId: stage.importId, rows: [3, 5] };
    const requested = events.map((event, n) =>
      n === 0 ? { ...event, json: JSON.stringify({ ...(JSON.parse(event.json) as object), corrects }) } : event,
    );
    await service.eventStore.append(stream, requested.slice(0, 1), noStream);
    await projectLog(service);
    expect(await pageOf(viewer, `/portal/imports/${importId}`)).toContain(`href="/portal/imports/${stage.importId}"`);
    const corrected = await pageOf(viewer, `/portal/imports/${stage.importId}`);
    expect(corrected).toContain(`href="/portal/imports/${importId}"`);
    expect(corrected).toContain("Being corrected");
  });

  test("shows pushed values as text, never as markup", async () => {
    const data = { warehouseCode: "<img src=x>", [`<b>${"k".repeat(200)}`]: "v".repeat(5_000) };
    const story = { organisationId: stage.organisationId, kind: "activities", sourceDetails: "<i>x</i>" } as const;
    const { importId, stream, events } = tell({ ...story, rows: [{ reject: "<u>no</u>", data }] });
    await service.eventStore.append(stream, events, noStream);
    await projectLog(service);
    const page = await pageOf(viewer, `/portal/imports/${importId}`);
    expect(page).not.toMatch(/<img|<b>|<i>x|<u>no/);
    expect(page).not.toContain("v".repeat(100));
  });
});

describe("the downloads", () => {
  test("redirect to links that work and expire", async () => {
    for (const [what, name] of [
      ["report?rows=all", `rejected-rows-${stage.importId}.xlsx`],
      ["file", "tuesday-orders.csv"],
    ] as const) {
      const leads = await viewer.get(`/portal/imports/${stage.importId}/${what}`);
      expect(leads.status).toBe(302);
      const link = leads.headers.get("location") ?? "";
      expect(link).toMatch(/^\/files\/.*signature=/);
      const expires = Number(new URL(link, service.url).searchParams.get("expires"));
      expect(expires - Date.now() / 1000).toBeLessThan(400);
      const file = await fetch(`${service.url}${link}`);
      expect([file.status, file.headers.get("content-disposition")]).toEqual([200, expect.stringContaining(name)]);
      await file.body?.cancel();
    }
  });

  test("are 404 for a report or an import that does not exist", async () => {
    expect((await viewer.get(`/portal/imports/${stage.waitingId}/report`)).status).toBe(404);
    expect((await viewer.get(`/portal/imports/${randomUUID()}/file`)).status).toBe(404);
    expect((await viewer.get("/portal/imports/x/file")).status).toBe(404);
  });
});

describe("cancelling", () => {
  test("is shown at once, also when the tables are too many rows behind to count the import's rows", async () => {
    const rows = Array.from({ length: 20_500 }, () => ({ accept: activity() }));
    const told = tell({ organisationId: stage.organisationId, kind: "activities", rows, end: "cancelled" });
    await append(service.eventStore, { ...told, events: told.events.slice(0, 500) });
    await projectLog(service);
    await append(service.eventStore, told); // appends that are there already are repeated without effect
    await catchUpImport(service.pool, service.eventStore, told.importId); // as the command does after its append
    const text = textOf(await pageOf(operator, `/portal/imports/${told.importId}`));
    expect(text).toContain("Cancelling");
    expect(text).toContain("Cancelled by key wb_live_1234");
    expect(text).not.toMatch(/Running|Cancel import|Somebody has asked/);
    expect(textOf(await pageOf(operator, "/portal/imports?status=processing"))).toContain("Cancelling");
    await projectLog(service);
    expect(textOf(await pageOf(operator, `/portal/imports/${told.importId}`))).toContain("Nothing of this import was recorded.");
  });

  test("asks for confirmation, and is not offered to a viewer", async () => {
    const path = `/portal/imports/${stage.waitingId}`;
    expect(await pageOf(viewer, `${path}?ask=cancel`)).not.toContain("Cancel import");
    const asked = await pageOf(operator, `${path}?ask=cancel`);
    expect(asked).toContain("Cancel this import?");
    expect(asked).toContain("Nothing of it will be recorded");
  });

  test("ends a waiting import at once, says so, and is refused for a completed import", async () => {
    const token = await formToken(operator);
    const path = `/portal/imports/${stage.waitingId}`;
    expect((await operator.post(`${path}/cancel`, { token })).headers.get("location")).toBe(path);
    const page = textOf(await pageOf(operator, path));
    expect(page).toContain("Nightly picks cancelled.");
    expect(page).toContain("Cancelled by The operator");
    expect(page).not.toContain("Cancel import");
    const completed = await operator.post(`/portal/imports/${stage.importId}/cancel`, { token });
    expect([completed.status, textOf(await completed.text())]).toEqual([409, expect.stringContaining("already completed")]);
  });
});

test("an import's page says what became of its rejected rows, and the names of corrections are short", async () => {
  const { id: organisationId } = await service.organisation();
  const rows = [1, 2, 3].map(() => ({ reject: "Valid quantity is required", handle: "PICK" }));
  const sourceDetails = `Correction of import ${randomUUID()}`;
  const { importId, stream, events } = tell({ kind: "activities", rows, sourceDetails, organisationId });
  await service.eventStore.append(stream, events, noStream);
  await projectLog(service);
  const looking = await signedIn(service, await addMember(service, organisationId, "viewer"));
  const read = async () => textOf(await pageOf(looking, `/portal/imports/${importId}`));
  expect(await read()).toMatch(/Rejected rows 3 to correct (?!,)/);
  const by = { kind: "cli", id: "test" } as const;
  await dismissRows(service.deps, {
    organisationId,
    kind: "activities",
    importId,
    rows: [3],
    note: "",
    by,
    requestId: "test",
    now: new Date(),
  });
  await projectLog(service);
  const page = await pageOf(looking, `/portal/imports/${importId}`);
  expect(textOf(page)).toMatch(/Rejected rows 2 to correct , 1 dismissed/);
  expect(page).toContain(`href="/portal/corrections?state=dismissed&amp;import=${importId}"`);
  expect(heading(page)).toBe(sourceDetails.slice(0, "Correction of import 12345678".length));
});
