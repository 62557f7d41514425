// The error report of a file whose columns were chosen, corrected in a spreadsheet, over the API and on the page of rejected rows.
import ExcelJS from "exceljs";
import { expect, test } from "vitest";
import { readImportRequest } from "../../../../src/commands/imports/importStream.js";
import { until } from "../../../support/processes.js";
import { importIn, statusPath, useReports } from "./reportStage.js";

const stage = useReports();
const { completed, reportOf, send, check, states } = stage;

const form = { "column-0": "chargeCode", "column-1": "quantity", "column-2": "activityTimestamp", "column-4": "reference" };
const csv = (rows: readonly string[], id: string) => new File([[`Work,Qty,Done on,Comments,${id}`, ...rows].join("\n")], "work.csv");

/** An import whose choice has a fixed value, an order of dates and a column that is left out. */
async function imported(rows: readonly string[], id: string, more: Record<string, string> = {}, file = csv(rows, id)): Promise<string> {
  const { fileId = "" } = await send("activities", file);
  const chosen = { ...form, "fixed-warehouseCode": "SYD1", dateOrder: "dayFirst", ...more };
  const sent = await stage.sendDraft(fileId, chosen, "/columns");
  const importId = sent.headers.get("location")?.split("/").at(-1) ?? "";
  await completed("activities", importId);
  return importId;
}
const ledger = async (importId: string) => {
  const answer = await stage.organisation.get(`/v1/org/ledger/activities?importId=${importId}`);
  return ((await answer.json()) as { items: Record<string, unknown>[] }).items;
};

test("a re-uploaded report is taken as its import was: fixed values, dates and columns that are left out", async () => {
  const importId = await imported(["PICK,none,03/04/2026,first,a", "PICK,1,03/04/2026,second,b", ",2,04/04/2026,third,c"], "one");
  const report = await reportOf("activities", importId);
  report.set(1, "Qty", "3");
  report.set(2, "Work", "PACK");
  const checked = await check("activities", await report.file());
  expect(checked.html).toContain("This is the error report of import");
  expect(checked.html).toContain("Every row would be accepted");
  const correction = importIn(await send("activities", await report.file()));
  expect(await completed("activities", correction)).toMatchObject({ correctionOf: { importId, rows: [2, 4] }, counts: { processed: 2 } });
  expect(await readImportRequest(stage.service.eventStore, correction)).not.toHaveProperty("columns");
  expect(await ledger(correction)).toMatchObject([
    { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 3, activityTimestamp: "2026-04-02T13:00:00.000Z", reference: "a" },
    { warehouseCode: "SYD1", chargeCode: "PACK", quantity: 2, activityTimestamp: "2026-04-03T13:00:00.000Z", reference: "c" },
  ]);
});

test("a report that has lost one of the file's columns is refused by its name", async () => {
  const importId = await imported(["PICK,none,03/04/2026,first,a"], "two");
  const report = await reportOf("activities", importId);
  report.book.worksheets[0]?.spliceColumns(4, 1);
  expect((await check("activities", await report.file())).error).toBe(
    "Invalid file structure. Missing column(s): Qty. Download the error report again, and keep all of its columns.",
  );
});

test("taken as a new file, the report has the columns of its file", async () => {
  const importId = await imported(["PICK,none,03/04/2026,first,a"], "three");
  const report = await reportOf("activities", importId);
  report.set(1, "Qty", "5");
  const { fileId } = await check("activities", await report.file());
  const shown = await stage.upload(fileId, { take: "file" });
  expect(shown.html).toContain("SYD1");
  const { importId: plain = "" } = await stage.upload(shown.fileId, { take: "file" });
  expect(await completed("activities", plain)).toMatchObject({
    counts: { received: 1, processed: 1 },
  });
});

test("an error report is not taken to the page Columns, unless it is to be a new file", async () => {
  const report = await reportOf("activities", await imported(["PICK,none,03/04/2026,first,a"], "six"));
  const { fileId, html } = await check("activities", await report.file());
  expect(html).not.toContain("Choose columns");
  const columns = () => stage.who.get(`/portal/upload/${fileId}/columns`);
  expect((await columns()).headers.get("location")).toBe(`/portal/upload/${fileId}`);
  await stage.upload(fileId, { take: "file", do: "check" });
  expect((await columns()).status).toBe(200);
});

test("a correction over the API replaces one value; the rest is as the choice had it", async () => {
  const importId = await imported(["PICK,none,03/04/2026,first,a"], "four");
  const body = { rows: [{ row: 2, values: { quantity: "9" } }] };
  const answer = await stage.organisation.post(`${statusPath.activities}/${importId}/corrections`, body);
  const { importId: correction } = (await answer.json()) as { importId: string };
  await completed("activities", correction);
  expect(await ledger(correction)).toMatchObject([
    { warehouseCode: "SYD1", quantity: 9, activityTimestamp: "2026-04-02T13:00:00.000Z", reference: "a" },
  ]);
  await until("the row is corrected", async () => (await states("activities", importId))[2] === "corrected");
});

test("the rejected rows show the values under our names, with the fixed one", async () => {
  const importId = await imported(["PICK,none,03/04/2026,first,a"], "five");
  const { items } = (await (await stage.organisation.get(`${statusPath.activities}/${importId}/errors`)).json()) as {
    items: { data: unknown }[];
  };
  expect(items[0]?.data).toEqual({
    ...{ chargeCode: "PICK", quantity: "none", activityTimestamp: "2026-04-03", reference: "a", warehouseCode: "SYD1" },
  });
});

/** Removes the report, and the submitted file where that is to be lost too; returns the report that is made again. */
async function madeAgain(importId: string, { fileIsLost }: { readonly fileIsLost: boolean }) {
  const { pool, deps, eventStore } = stage.service;
  const { rows } = await pool.query<{ key: string }>("select report_key as key from imports where import_id = $1", [importId]);
  await deps.objectStore.remove(rows[0]?.key ?? "");
  if (fileIsLost) await deps.objectStore.remove((await readImportRequest(eventStore, importId))?.file.key ?? "");
  await until("the report is made again", async () => {
    const { errorReportUrl } = (await completed("activities", importId)) as unknown as { errorReportUrl: string | null };
    return errorReportUrl !== null && (await fetch(errorReportUrl.replace("http://127.0.0.1:3000", stage.service.url))).status === 200;
  });
  return reportOf("activities", importId);
}
const headingsOf = (report: Awaited<ReturnType<typeof reportOf>>) =>
  ((report.book.worksheets[0]?.getRow(1).values ?? []) as string[]).slice(1);

test("a report that is lost is made again with the file's headings", async () => {
  const importId = await imported(["PICK,none,03/04/2026,first,a"], "seven");
  const report = await madeAgain(importId, { fileIsLost: false });
  expect(headingsOf(report)).toEqual(["Row number", "Rejection reason", "Work", "Qty", "Done on", "Comments", "seven"]);
  report.set(1, "Qty", "3");
  const correction = importIn(await send("activities", await report.file()));
  expect(await completed("activities", correction)).toMatchObject({ correctionOf: { importId, rows: [2] }, counts: { processed: 1 } });
});

test("made without the submitted file it has our names, and is taken by them", async () => {
  const importId = await imported(["PICK,none,03/04/2026,first,a"], "eight");
  const report = await madeAgain(importId, { fileIsLost: true });
  expect(headingsOf(report).slice(2)).toEqual(["chargeCode", "quantity", "activityTimestamp", "reference", "warehouseCode"]);
  report.set(1, "quantity", "3");
  const correction = importIn(await send("activities", await report.file()));
  expect(await completed("activities", correction)).toMatchObject({ correctionOf: { importId, rows: [2] }, counts: { processed: 1 } });
  expect(await ledger(correction)).toMatchObject([{ warehouseCode: "SYD1", activityTimestamp: "2026-04-02T13:00:00.000Z" }]);
});

const quantities = async (importId: string) => (await ledger(importId)).map(({ quantity }) => quantity);
const correct = async (importId: string, rows: object[], more: object = {}) => {
  const answer = await stage.organisation.post(`${statusPath.activities}/${importId}/corrections`, { rows, ...more });
  const { importId: correction } = (await answer.json()) as { importId: string };
  return { correction, shown: await completed("activities", correction) };
};

test("numbers declared with a decimal comma are read so, also in every correction and in the report", async () => {
  const rows = ['PICK,"1,5",03/04/2026,x,a', 'PICK,"1.234,50",03/04/2026,x,b', "PICK,1.234,03/04/2026,x,c", "PICK,0.5,03/04/2026,x,d"];
  const importId = await imported([...rows, 'NONE,"2,5",,x,e', 'PICK,"7,25",,x,f'], "comma", { decimal: "comma" });
  expect(await quantities(importId)).toEqual([1.5, 1234.5, 1234]);
  const sent = await rejected(importId);
  expect(sent.map(({ row, data }) => [row, data["quantity"]])).toEqual([
    [5, "0.5"],
    [6, "2,5"],
    [7, "7,25"],
  ]);

  const first = await correct(importId, [
    { row: 5, values: { quantity: "0.5" } },
    { row: 6, values: { activityTimestamp: "2026-04-03" } },
  ]);
  expect(first.shown).toMatchObject({ counts: { processed: 1, failed: 1 } });
  expect(await readImportRequest(stage.service.eventStore, first.correction)).toMatchObject({ corrects: { importId, decimal: "comma" } });
  expect(await quantities(first.correction)).toEqual([2.5]);
  const again = await correct(first.correction, [{ row: 1, values: { quantity: "1.000,5" } }]);
  expect(await quantities(again.correction)).toEqual([1000.5]);

  const accepted = await correct(importId, [{ row: 2, values: { reference: "changed" } }], { reason: "Another order" });
  expect(await quantities(accepted.correction)).toEqual([1.5]);

  const report = await reportOf("activities", importId);
  report.drop(1);
  report.drop(1);
  report.set(1, "Done on", "05/04/2026");
  expect((await check("activities", await report.file())).html).toContain("Every row would be accepted");
  const correction = importIn(await send("activities", await report.file()));
  await completed("activities", correction);
  expect(await quantities(correction)).toEqual([7.25]);
});

test("the numbers of a workbook stay what they are, whatever its texts are declared to be", async () => {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet("Work");
  sheet.addRows([
    ["Work", "Qty", "Done on", "Comments", "own"],
    ["PICK", 1.234, "2026-04-03", "x", "a"],
    ["PICK", "1.234", "2026-04-03", "x", "b"],
  ]);
  const file = new File([new Uint8Array(await book.xlsx.writeBuffer())], "work.xlsx");
  const importId = await imported([], "own", { decimal: "comma", dateOrder: "" }, file);
  expect(await quantities(importId)).toEqual([1.234, 1234]);
});

const rejected = async (importId: string) => {
  const answer = await stage.organisation.get(`${statusPath.activities}/${importId}/errors`);
  return ((await answer.json()) as { items: { row: number; data: Record<string, string> }[] }).items;
};
