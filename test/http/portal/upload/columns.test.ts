// Files whose headings are not ours: what their columns are taken for is chosen on a page of its own, and remembered.
import { expect, test } from "vitest";
import { readImportRequest } from "../../../../src/commands/imports/importStream.js";
import { headingsKey } from "../../../../src/domain/imports/columns/headings.js";
import { limits } from "../../../../src/domain/imports/limits.js";
import { formToken, heading } from "../../../support/portal/portal.js";
import { byScript, outcomeOf, useReports } from "./reportStage.js";

const stage = useReports();
const path = "/portal/upload/columns";

const csv = (text: string, name = "picks.csv") => new File([text], name);
const named = (id: string, rows: readonly string[], headings = "Whs,Work,Qty,Done on") => csv([`${headings},${id}`, ...rows].join("\n"));
const importOf = (address: string | null | undefined) => /^\/portal\/imports\/([0-9a-f-]{36})$/.exec(address ?? "")?.[1] ?? "no import";

/** Uploads a file that leads to the page Columns; returns the id it waits under. */
async function waiting(file: File, kind: "activities" | "shipments" = "activities"): Promise<string> {
  const { goTo, fileId } = await stage.send(kind, file);
  expect(goTo).toBe(`/portal/upload/${fileId}/columns`);
  return fileId ?? "";
}
const pageOf = async (fileId: string) => (await stage.who.get(`/portal/upload/${fileId}/columns`)).text();
/** To the page of the file, or to that of a choice without one. */
const send = async ({ file, ...fields }: Record<string, string>) =>
  stage.who.post(file ? `/portal/upload/${file}/columns` : path, { token: await formToken(stage.who), sent: "yes", ...fields });
const wanted = { "column-0": "warehouseCode", "column-1": "chargeCode", "column-2": "quantity", "column-3": "activityTimestamp" };
/** The value that each select of the page has. */
const selectedIn = (page: string) =>
  [...page.matchAll(/<select name="(column-\d+)".*?<\/select>/gs)].map(
    ([select]) => /<option value="([^"]*)" selected/.exec(select)?.[1] ?? "",
  );
const noticeIn = (page: string) => /<div class="notice error"[^>]*>(.*?)<\/div>/s.exec(page)?.[1]?.replaceAll(/<[^>]+>/g, " ") ?? "";

test("a file with other headings leads to the page, with three values of each column and a suggestion", async () => {
  const rows = ["SYD1,PICK,1,2026-03-01,x", "SYD2,PACK,2,2026-03-02,y", "MEL1,PICK,3,2026-03-03,z", "BNE1,PICK,4,2026-03-04,w"];
  const fileId = await waiting(named("Secret notes", rows));
  const page = await pageOf(fileId);
  expect(heading(page)).toBe("Columns");
  expect(page).toContain("Secret notes");
  expect([page.includes("MEL1"), page.includes("BNE1")]).toEqual([true, false]);
  expect(selectedIn(page)).toEqual(["warehouseCode", "", "quantity", "activityTimestamp", ""]);
  expect(page).toContain("Required and missing: Charge code.");
  expect(page).not.toContain("Dates such as");
});

test("without scripts too, also when the file is to be checked", async () => {
  const token = await formToken(stage.who);
  for (const address of ["/portal/upload", "/portal/upload?do=check"]) {
    const sent = await stage.who.upload(address, { token, page: "p", kind: "activities" }, named("plain", ["W1,PICK,1,2026-03-01,"]));
    expect([sent.status, sent.headers.get("location")]).toEqual([303, expect.stringMatching(/^\/portal\/upload\/[0-9a-f-]{36}\/columns$/)]);
  }
  const checked = await stage.check("activities", named("scripted", ["W1,PICK,1,2026-03-01,"]));
  expect(checked.goTo).toMatch(/^\/portal\/upload\/[0-9a-f-]{36}\/columns$/);
});

test("the file becomes an import with the choice, once; the next one with these headings goes through and says so", async () => {
  const fileId = await waiting(named("a", ["W1,PICK,1,2026-03-01,", "W1,,1,2026-03-01,"]));
  const [one, two] = await Promise.all([send({ file: fileId, ...wanted, do: "upload" }), send({ file: fileId, ...wanted, do: "upload" })]);
  const addresses = [one, two].filter(({ status }) => status === 303).map(({ headers }) => headers.get("location"));
  const importId = importOf(addresses[0]);
  expect(new Set(addresses).size).toBe(1);
  expect((await send({ file: fileId, ...wanted, do: "upload" })).headers.get("location")).toBe(`/portal/imports/${importId}`);
  expect((await stage.who.get(`/portal/upload/${fileId}/columns`)).headers.get("location")).toBe(`/portal/imports/${importId}`);
  const { memberId } = stage.member;
  const headings = { Whs: "warehouseCode", Work: "chargeCode", Qty: "quantity", "Done on": "activityTimestamp", a: null };
  const first = await readImportRequest(stage.service.eventStore, importId);
  expect(first).toMatchObject({ source: "file", file: { name: "picks.csv" }, columns: { headings, by: { kind: "member", id: memberId } } });
  expect(await stage.completed("activities", importId)).toMatchObject({ counts: { received: 2, processed: 1, failed: 1 } });

  const next = named("a", ["W1,PICK,7,2026-03-01,"]);
  const checked = await stage.check("activities", next);
  expect(checked.html).toContain("Columns as chosen");
  expect(checked.html).toContain("Every row would be accepted");
  const { importId: nextId = "" } = await stage.upload(checked.fileId);
  const second = await readImportRequest(stage.service.eventStore, nextId);
  expect(second).toMatchObject({ columns: { headings, by: first?.by } });
  expect(Object.keys(second?.columns?.headings ?? {})).toEqual(Object.keys(headings));
  const page = await (await stage.who.get(`/portal/imports/${nextId}`)).text();
  expect(page).toContain("Columns as chosen");
  const change = /<a href="([^"]+)">Change them<\/a>/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
  expect(heading(await (await stage.who.get(change)).text())).toBe("Columns");
});

test("what was chosen is changed without a file, for the next one", async () => {
  const fileId = await waiting(named("b", ["W1,PICK,1,03/04/2026,"]));
  await send({ file: fileId, ...wanted, dateOrder: "dayFirst", do: "upload" });
  const names = ["Whs", "Work", "Qty", "Done on", "b"];
  const source = { kind: "activities", headings: headingsKey(names) };
  const page = await (await stage.who.get(`${path}?${new URLSearchParams(source)}`)).text();
  const sorted = [...names].sort((one, other) => one.localeCompare(other, "en"));
  const before: Record<string, string> = { Whs: "warehouseCode", Work: "chargeCode", Qty: "quantity", "Done on": "activityTimestamp" };
  expect(selectedIn(page)).toEqual(sorted.map((name) => before[name] ?? ""));
  const columns = Object.fromEntries(sorted.map((name, index) => [`column-${index}`, name === "b" ? "status" : (before[name] ?? "")]));
  const saved = await send({ ...source, ...columns, dateOrder: "monthFirst", do: "save" });
  expect([saved.status, saved.headers.get("location")]).toEqual([303, "/portal/upload"]);
  const { importId = "" } = await stage.send("activities", named("b", ["W1,PICK,1,03/04/2026,done"]));
  expect(await readImportRequest(stage.service.eventStore, importId)).toMatchObject({
    columns: { headings: { b: "status" }, dateOrder: "monthFirst" },
  });
});

test("a check judges the rows with the choice, names the file's own columns and keeps what was chosen", async () => {
  const fileId = await waiting(named("c", ["PICK,1,23/04/2026,x", "PICK,none,03/04/2026,y"], "Work,Qty,Done on"));
  const first = await pageOf(fileId);
  expect(first).toContain("The file has 23/04/2026, which can only be day first.");
  const chosen = { "column-0": "chargeCode", "column-1": "quantity", "column-2": "activityTimestamp", "fixed-warehouseCode": "SYD1" };
  const { html: page = "" } = await outcomeOf(await send({ file: fileId, ...chosen, dateOrder: "dayFirst", do: "check" }), stage.who);
  expect(page).toContain("1 row of 2 would be rejected.");
  expect(page).toMatch(/data-label="Column"[^>]*>Qty</);
  expect(page).toContain("SYD1");
  const again = await pageOf(fileId);
  expect(selectedIn(again)).toEqual(["chargeCode", "quantity", "activityTimestamp", ""]);
  expect(again).toContain('value="SYD1"');
  const undeclared = await outcomeOf(await send({ file: fileId, ...chosen, do: "check" }), stage.who);
  expect(undeclared.html).toContain("Every row would be rejected.");
});

test("scripts send the same form, and read where it leads", async () => {
  const file = await waiting(named("d", ["W1,PICK,1,2026-03-01,"]));
  const token = await formToken(stage.who);
  const post = async (fields: Record<string, string>) =>
    outcomeOf(await stage.who.post(`/portal/upload/${file}/columns`, { token, ...fields }, byScript), stage.who);
  expect((await post({ ...wanted, do: "check" })).html).toContain("Every row would be accepted");
  const refused = await post({ do: "upload" });
  expect([refused.status, refused.error?.[0]]).toEqual([400, expect.stringContaining("Warehouse code is required.")]);
  const sent = await post({ ...wanted, do: "upload" });
  expect(sent.importId).toBeDefined();
  expect(await post({ ...wanted, do: "upload" })).toEqual(sent);
});

test("a file that was sent before asks first, and goes in again after that", async () => {
  const file = () => named("e", ["W1,PICK,1,2026-03-01,"]);
  await send({ file: await waiting(file()), ...wanted, do: "upload" });
  const { fileId = "" } = await stage.check("activities", file());
  const asked = await outcomeOf(await send({ file: fileId, ...wanted, do: "upload" }), stage.who);
  expect(asked.html).toContain("This file was sent before");
  const earlier = /name="again" value="([^"]+)"/.exec(asked.html ?? "")?.[1] ?? "";
  const { importId = "" } = await stage.upload(fileId, { again: earlier });
  expect(importId).not.toBe(earlier);
  expect(await readImportRequest(stage.service.eventStore, importId)).toMatchObject({ sameFileAs: earlier });
});

test("the columns of a file with our own headings can be chosen as well", async () => {
  const file = csv("warehouseCode,chargeCode,quantity,activityTimestamp\nW1,PICK,1,03/04/2026\n");
  const { fileId = "", html } = await stage.check("activities", file);
  expect(html).toContain(`href="/portal/upload/${fileId}/columns"`);
  const page = await pageOf(fileId);
  expect(selectedIn(page)).toEqual(["warehouseCode", "chargeCode", "quantity", "activityTimestamp"]);
  expect(page).toContain("Dates such as 03/04/2026");
});

test.each<[string, Record<string, string>, string]>([
  ["two columns for one field", { "column-4": "quantity" }, "Quantity is taken from Qty and f. Choose Do not import for all but one."],
  ["a fixed value beside a column", { "fixed-quantity": "1" }, "Quantity has a fixed value, and a column: Qty."],
  ["an unknown field", { "column-4": "itemType" }, "f is mapped to itemType, which is not a field of these imports."],
  ["a required field without a column", { "column-2": "" }, "Quantity is required. Choose a column for it, or give a fixed value."],
  [
    "a fixed value that no row could have",
    { "column-2": "", "fixed-quantity": "0" },
    "The fixed value of Quantity: Valid quantity is required.",
  ],
  ["an unknown customer", { "fixed-customerId": "NOBODY" }, "The fixed value of Customer: Customer not found."],
  ["a fixed value that is too long", { "fixed-customerId": "x".repeat(201) }, "The fixed value of Customer is longer than 200 characters."],
])("%s is refused by name, and what was chosen stays", async (_, changed, message) => {
  const fileId = await waiting(named("f", ["W1,PICK,1,2026-03-01,"]));
  const answer = await send({ file: fileId, ...wanted, ...changed, do: "upload" });
  const page = await answer.text();
  expect([answer.status, heading(page)]).toEqual([400, "Columns"]);
  expect(noticeIn(page)).toContain(message);
  expect(selectedIn(page)).toHaveLength(5);
  expect(selectedIn(page)[1]).toBe("chargeCode");
});

test("headings of 255 bytes can be chosen, a longer one is refused by name", async () => {
  const answer = (bytes: number) => stage.send("activities", named("g".repeat(bytes), ["W1,PICK,1,2026-03-01,"]));
  expect((await answer(limits.columnNameBytes - 1)).goTo).toMatch(/[0-9a-f-]{36}\/columns$/);
  expect((await answer(limits.columnNameBytes)).goTo).toMatch(/[0-9a-f-]{36}\/columns$/);
  expect((await answer(limits.columnNameBytes + 1)).error).toMatch(/^Column name\(s\) longer than 255 bytes: ggg/);
});

test("510 columns can be chosen, so that an error report has room for two more; a file with more is refused", async () => {
  const file = (columns: number) =>
    csv(`${Array.from({ length: columns }, (_, index) => `h${index}`).join(",")}\n${"1,".repeat(columns - 1)}1\n`);
  for (const columns of [509, 510]) {
    const page = await pageOf(await waiting(file(columns)));
    expect(selectedIn(page)).toHaveLength(columns);
  }
  for (const columns of [511, 512])
    expect((await stage.send("activities", file(columns))).error).toBe(
      "The file has more than 510 columns. Remove the columns that are not needed.",
    );
  expect((await stage.send("activities", file(513))).error).toContain("512");
});

test("a file that is not kept, or is another organisation's, is not there", async () => {
  const fileId = await waiting(named("h", ["W1,PICK,1,2026-03-01,"]));
  const other = await stage.service.organisation();
  await stage.service.pool.query("update kept_files set organisation_id = $2 where file_id = $1", [fileId, other.id]);
  for (const file of [fileId, "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50", "x"]) {
    expect(await pageOf(file)).toContain("The file is no longer available. Upload it again.");
    expect((await send({ file, ...wanted, do: "upload" })).status).toBe(404);
  }
  expect(await (await stage.who.get(path)).text()).toContain("No columns to choose");
  const unknown = await stage.who.get(`${path}?kind=activities&headings=x`);
  expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining("No columns were chosen")]);
});

test("a file whose object is lost is to be uploaded again", async () => {
  const fileId = await waiting(named("i", ["W1,PICK,1,2026-03-01,"]));
  const { rows } = await stage.service.pool.query<{ key: string }>("select object_key as key from kept_files where file_id = $1", [fileId]);
  await stage.service.deps.objectStore.remove(rows[0]?.key ?? "");
  const answer = await send({ file: fileId, ...wanted, do: "upload" });
  expect([answer.status, noticeIn(await answer.text())]).toEqual([
    404,
    expect.stringContaining("The file is no longer available. Upload it again."),
  ]);
});

test("the API refuses the same file as before", async () => {
  const answer = await stage.organisation.upload("/v1/org/fulfilment/activities/file", named("a", ["W1,PICK,1,2026-03-01,"]));
  expect([answer.status, await answer.text()]).toEqual([
    400,
    expect.stringContaining("Unrecognised column(s): Whs, Work, Qty, Done on, a"),
  ]);
});

test.each<[what: string, headings: string, row: string, leadsTo: RegExp]>([
  [
    "our own headings of activities",
    "warehouseCode,chargeCode,quantity,activityTimestamp",
    "W1,PICK,11,2026-03-01",
    /^\/portal\/imports\//,
  ],
  [
    "headings that resemble those of shipments",
    "Order no.,From suburb,From post code,To suburb,To post code,Type",
    "1,a,1,b,2,c",
    /columns$/,
  ],
])("the kind is recognised by %s", async (_, headings, row, leadsTo) => {
  const { goTo = "" } = await stage.send("recognise", csv(`${headings}\n${row}\n`));
  expect(goTo).toMatch(leadsTo);
  if (leadsTo.test("columns")) expect(await (await stage.who.get(goTo)).text()).toContain("(shipments)");
});

test("a kind that the headings do not say is to be chosen", async () => {
  const { error } = await stage.send("recognise", csv("x,y\n1,2\n"));
  expect(error).toContain("The headings do not say what the file has. Choose Shipments or Activities under Kind");
});
