// Uploads by the portal's forms, as a browser sends them, and imports of the example files.
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import exceljs from "exceljs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readImportRequest } from "../../../../src/commands/imports/importStream.js";
import { addMember, formToken, heading, signedIn, type TestMember, type Visitor } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { type Role, startProjector, startWorker } from "../../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";
import { byScript, nothingUnusual, type Outcome, outcomeOf } from "./reportStage.js";

let service: TestService;
let organisation: TestOrganisation;
let member: TestMember;
let who: Visitor;
let token: string;
const roles: Role[] = [];

beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 3 });
  organisation = await service.organisation((file) => {
    nothingUnusual(file);
    file.customFields.push({ key: "item-type", label: "Reads like a column of ours" });
  });
  member = await addMember(service, organisation.id, "operator");
  who = await signedIn(service, member);
  token = await formToken(who);
});
afterAll(async () => {
  await Promise.all(roles.map((role) => role.stop()));
  await service?.close();
});

const rows = (count: number) => `warehouseCode,chargeCode,quantity,activityTimestamp\n${"W1,PICK,1,2026-03-01T00:00:00Z\n".repeat(count)}`;
const csv = (text: string, name = "picks.csv") => new File([text], name);
const byForm = async (fields: Record<string, string>, file: File) =>
  outcomeOf(await who.upload("/portal/upload", { token, ...fields }, file, byScript), who);
const importOf = ({ importId = "none", status }: Outcome) => {
  expect([status, importId]).toEqual([200, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  return importId;
};

describe("an upload in the portal", () => {
  test("makes an import as the API's upload does, by the member; sent again from the same page it is the same import", async () => {
    const fields = { kind: "activities", page: "p1", sourceDetails: "Monday" };
    const send = () => byForm(fields, csv(rows(2)));
    const ids = [...(await Promise.all([send(), send()])), await send()].map(importOf);
    expect(new Set(ids).size).toBe(1);
    expect(await readImportRequest(service.eventStore, ids[0] ?? "")).toMatchObject({
      ...{ kind: "activities", source: "file", sourceDetails: "Monday", by: { kind: "member", id: member.memberId } },
      file: { name: "picks.csv", format: "csv" },
    });
    const shown = await organisation.get(`/v1/org/fulfilment/imports/${ids[0]}`);
    expect(shown.status).toBe(200);
  });

  test("without scripts leads to the import; the reason for a refused file is shown on the page", async () => {
    const sent = await who.upload("/portal/upload", { token, page: "p2", kind: "activities", sourceDetails: "" }, csv(rows(1)));
    expect([sent.status, sent.headers.get("location")]).toEqual([303, expect.stringMatching(/^\/portal\/imports\/[0-9a-f-]{36}$/)]);
    const refused = await who.upload("/portal/upload", { token, page: "p2", kind: "shipments" }, csv("\n\n"));
    const page = await refused.text();
    expect([refused.status, heading(page)]).toEqual([400, "Upload a file"]);
    expect(page).toContain("The file is empty: it has no header row.");
  });

  test.each([
    ["a file of another type", { kind: "activities" }, csv("x", "a.pdf"), /ends in \.csv or \.xlsx/],
    ["an empty file", { kind: "activities" }, csv(""), /The file is empty/],
    ["a heading that is too long", { kind: "activities" }, csv(`${"x".repeat(256)}\n1\n`), /^Column name\(s\) longer than 255 bytes/],
    ["no kind", {}, csv(rows(1)), /Choose the kind/],
    ["a field that is none of the form's", { kind: "activities", colour: "red" }, csv(rows(1)), /"colour" is not a field/],
  ])("with %s is refused with a reason", async (_, fields, file, message) => {
    expect((await byForm(fields as Record<string, string>, file)).error).toMatch(message);
  });

  test("to a full queue is refused, and leaves no file", async () => {
    let sent = 2;
    const send = () => {
      sent += 1; // another file each time: the same one would lead to a question
      return byForm({ kind: "activities", page: "p3" }, csv(rows(sent)));
    };
    await until("the queue is full", async () => (await send()).status === 400);
    expect((await send()).error).toMatch(/^Too many imports are already queued/);
    expect(await readdir(service.deps.tempDir)).toEqual([]);
  });
});

test("the example files have the organisation's columns, customers and codes, and are imported without a rejected row", async () => {
  roles.push(startWorker(service), startProjector(service));
  const ended = async (importId: string, kind: "shipments" | "fulfilment") => {
    let shown: { status?: string; counts?: object } = {};
    await until("the import has ended", async () => {
      shown = (await (await organisation.get(`/v1/org/${kind}/imports/${importId}`)).json()) as typeof shown;
      return shown.status === "completed" || shown.status === "failed";
    });
    return shown;
  };
  await until("the queue is empty", async () => (await service.pool.query("select from import_queue")).rowCount === 0);
  const example = async (kind: string, type: "csv" | "xlsx") => {
    const answer = await who.get(`/portal/upload/examples/${kind}.${type}`);
    if (answer.status !== 200) throw new Error(await answer.text());
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="example-${kind}.${type}"`);
    return new File([await answer.blob()], `${kind}.${type}`);
  };
  const send = async (kind: string, file: File) => importOf(await byForm({ kind, page: file.name }, file));

  const text = await (await example("shipments", "csv")).text();
  expect(text.split("\r\n")[0]).toMatch(/^"shipmentId",.*,"costCentre","project","customFields\.item-type"$/);
  expect(text).toContain("CUST-002");
  const [shipments, activities] = [
    { status: "completed", counts: { received: 3, processed: 2, failed: 0 } },
    { status: "completed", counts: { received: 3, processed: 3, failed: 0 } },
  ];
  for (const type of ["csv", "xlsx"] as const) {
    expect(await ended(await send("shipments", await example("shipments", type)), "shipments"), type).toMatchObject(shipments);
    expect(await ended(await send("activities", await example("activities", type)), "fulfilment"), type).toMatchObject(activities);
  }
  expect(await (await example("activities", "csv")).text()).toMatch(/\r\n"W1","PICK",/);
});

test("an example workbook has numbers and dates as such, and codes that read like formulas or numbers as texts", async () => {
  const own = await service.organisation();
  const codes = { warehouseCode: "=1+1", chargeCode: "0800" };
  const activity = { ...codes, quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };
  const pushed = await own.post("/v1/org/fulfilment/activities", { activities: [activity] });
  const { importId } = (await pushed.json()) as { importId: string };
  await until("the codes are known", async () => {
    const { rowCount } = await service.pool.query("select from imports where import_id = $1 and status = 'completed'", [importId]);
    return rowCount === 1;
  });
  const other = await signedIn(service, await addMember(service, own.id, "operator"));
  const answer = await other.get("/portal/upload/examples/activities.xlsx");
  const path = join(service.deps.tempDir, "example.xlsx");
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  try {
    const book = new exceljs.Workbook();
    await book.xlsx.readFile(path);
    const [sheet] = book.worksheets;
    const [warehouse, charge, quantity, at] = [1, 2, 3, 4].map((column) => sheet?.getRow(2).getCell(column));
    expect([warehouse?.value, charge?.value, quantity?.value]).toEqual(["=1+1", "0800", 3]);
    expect([warehouse?.formula, warehouse?.numFmt, sheet?.getRow(9).getCell(2).numFmt]).toEqual([undefined, "@", "@"]);
    expect([at?.value, at?.numFmt]).toEqual([expect.any(Date), "yyyy-mm-dd hh:mm:ss"]);
  } finally {
    await rm(path);
  }
});

test("the example file of an organisation without zones has the header row only", async () => {
  const bare = await service.organisation((file) => Object.assign(file, { zoneMaps: [], rateCards: [], customers: [] }));
  const other = await signedIn(service, await addMember(service, bare.id, "operator"));
  expect((await (await other.get("/portal/upload/examples/shipments.csv")).text()).trim().split("\r\n")).toHaveLength(1);
});
