// What was checked is uploaded without being chosen again, and its problem rows are downloaded.
import { EventEmitter, once } from "node:events";
import { readdir } from "node:fs/promises";
import ExcelJS from "exceljs";
import { expect, onTestFinished, test, vi } from "vitest";
import { readImportRequest } from "../../../../src/commands/imports/importStream.js";
import { formToken } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { byScript, header, outcomeOf, useReports } from "./reportStage.js";

const stage = useReports();

const row = (quantity: string, reference: string) => `W1,PICK,${quantity},2026-03-01T00:00:00Z,${reference}`;
const csv = (rows: readonly string[], name = "picks.csv", headings = header) => new File([[headings, ...rows].join("\n")], name);
const some = (valid: number, invalid: number, mark: string) => [
  ...Array.from({ length: valid }, (_, index) => row("1", `${mark}${index}`)),
  ...Array.from({ length: invalid }, () => row("none", mark)),
];
const checked = async (file: File) => {
  const { html = "", fileId = "none" } = await stage.check("activities", file);
  return { html, fileId };
};
const sendByScript = async (fileId: string) => {
  const fields = { token: await formToken(stage.who), do: "upload" };
  return outcomeOf(await stage.who.post(`/portal/upload/${fileId}`, fields, byScript), stage.who);
};
const button = (html: string) => /<button[^>]*>(Upload[^<]*)<\/button>/.exec(html)?.[1];
const nothingLeft = () =>
  until("the files are removed", async () => (await readdir(stage.service.deps.tempDir)).every((name) => !name.startsWith("upload-")));

test.each([
  [5, undefined, 0],
  [6, "All problems, row by row", 6],
  [100, "All problems, row by row", 100],
  [101, "The first 100 problems, row by row", 100],
])("of %i problems those that are not named under their reason follow row by row: %s", async (invalid, title, listed) => {
  const { html } = await checked(csv(some(0, invalid, `o${invalid}-`)));
  const list = /<details class="problems-in-order">.*<\/details>/s.exec(html)?.[0] ?? "";
  expect(/<summary>([^<]+)<\/summary>/.exec(list)?.[1]).toBe(title);
  expect([...list.matchAll(/<th scope="row"/g)]).toHaveLength(listed);
});

async function problemRows(fileId: string): Promise<string[][]> {
  const answer = await stage.who.get(`/portal/upload/${fileId}/problem-rows`);
  expect([answer.status, answer.headers.get("content-disposition")]).toEqual([200, 'attachment; filename="problem-rows.xlsx"']);
  return rowsOf(answer);
}

async function rowsOf(answer: Response): Promise<string[][]> {
  const book = new ExcelJS.Workbook();
  await book.xlsx.load(await answer.arrayBuffer());
  const rows: string[][] = [];
  book.worksheets[0]?.eachRow(({ values }) => rows.push([...(values as string[])].slice(1).map((value) => value ?? "")));
  return rows;
}

test.each([
  [0, 2, undefined, "There is nothing to upload."],
  [1, 0, "Upload", "The file is kept for a day."],
  [1, 1, "Upload", "the other one becomes a rejected row, to be corrected or dismissed under Rejected rows"],
  [1_000, 2, "Upload", "the other 2 become rejected rows"],
])("of %i valid and %i other rows the page has the button %s, and says what becomes of them", async (valid, invalid, label, hint) => {
  const { html } = await checked(csv(some(valid, invalid, `b${valid}-${invalid}-`)));
  expect(button(html)).toBe(label);
  expect(html).toContain(hint);
  expect(html.includes("problem row")).toBe(invalid > 0);
});

test("the button makes one import of the whole file, however often it is pressed, with scripts or without", async () => {
  const { fileId } = await checked(csv(some(2, 1, "once")));
  const answers = await Promise.all([stage.upload(fileId), stage.upload(fileId), stage.upload(fileId)]);
  const [{ importId = "" }] = answers;
  expect(new Set(answers.map(({ goTo }) => goTo))).toEqual(new Set([`/portal/imports/${importId}`]));
  expect(await sendByScript(fileId)).toEqual({ status: 200, importId, goTo: `/portal/imports/${importId}` });
  expect((await stage.who.get(`/portal/upload/${fileId}`)).headers.get("location")).toBe(`/portal/imports/${importId}`);
  const download = await stage.who.get(`/portal/upload/${fileId}/problem-rows`);
  expect([download.status, download.headers.get("location")]).toEqual([302, `/portal/imports/${importId}`]);
  expect(await stage.completed("activities", importId)).toMatchObject({ counts: { received: 3, processed: 2, failed: 1 } });
  expect(await readImportRequest(stage.service.eventStore, importId)).toMatchObject({
    file: { name: "picks.csv" },
    sourceDetails: "picks.csv",
  });
  await nothingLeft();
});

test("scripts get the import's page; a file that was sent before asks first, and goes in again when asked to", async () => {
  const file = () => csv(some(1, 0, "again"));
  const first = (await sendByScript((await checked(file())).fileId)).importId ?? "";
  const { fileId, html } = await checked(file());
  for (const page of [html, (await stage.upload(fileId)).html ?? "", (await sendByScript(fileId)).html ?? ""]) {
    expect(page).toContain("This file was sent before");
    expect(page).toContain(`name="again" value="${first}"`);
    expect(button(page)).toBe("Upload again");
  }
  const { importId: again = "" } = await stage.upload(fileId, { again: first });
  expect(await readImportRequest(stage.service.eventStore, again)).toMatchObject({ sameFileAs: first });
});

test("a file that is no longer kept, of another organisation, or lost from the store is to be chosen again", async () => {
  const gone = "The file is no longer available. Upload it again.";
  const expectGone = async (file: string) => {
    const plain = await stage.sendDraft(file);
    expect([plain.status, await plain.text()]).toEqual([404, expect.stringContaining(gone)]);
    expect((await sendByScript(file)).error).toContain(gone);
    const download = await stage.who.get(`/portal/upload/${file}/problem-rows`);
    expect([download.status, await download.text()]).toEqual([404, expect.stringContaining(gone)]);
  };
  const { pool, deps } = stage.service;
  const { fileId } = await checked(csv(some(1, 1, "gone")));
  const { rows } = await pool.query<{ key: string }>("select object_key as key from kept_files where file_id = $1", [fileId]);
  await deps.objectStore.remove(rows[0]?.key ?? "");
  await expectGone(fileId);
  const other = await stage.service.organisation();
  const theirs = (await checked(csv(some(1, 1, "theirs")))).fileId;
  await pool.query("update kept_files set organisation_id = $2 where file_id = $1", [theirs, other.id]);
  const late = (await checked(csv(some(1, 1, "late")))).fileId;
  await pool.query("update kept_files set kept_at = now() - interval '24 hours 1 minute' where file_id = $1", [late]);
  for (const file of [theirs, late, "x", ""]) await expectGone(file === "" ? "018f4d2e-7b6a-7cc0-9d5e-0b1c2d3e4f50" : file);
  await nothingLeft();
});

test("a file that is chosen in the place of another takes it, and one that has become an import takes none", async () => {
  const countKept = async () =>
    (await stage.service.pool.query("select from kept_files where organisation_id = $1 and import_id is null", [stage.organisation.id]))
      .rowCount;
  const before = (await countKept()) ?? 0;
  const first = await checked(csv(some(1, 0, "place1")));
  expect(first.html).toContain(`href="/portal/upload?instead=${first.fileId}&amp;kind=activities"`);
  expect(await (await stage.who.get(`/portal/upload?instead=${first.fileId}`)).text()).toContain(`name="instead" value="${first.fileId}"`);
  const second = await stage.check("activities", csv(some(1, 0, "place2")), { instead: first.fileId });
  expect(await countKept()).toBe(before + 1);
  expect((await stage.send("activities", csv(some(1, 0, "place3")), { instead: second.fileId ?? "" })).importId).toBeDefined();
  expect(await countKept()).toBe(before);
});

test("the problem rows have the error report's columns and the file's own; put right, they can be uploaded", async () => {
  const { fileId, html } = await checked(csv([row("1", "a"), row("none", "=1+1"), row("", "-5")]));
  expect(html).toContain("Download 2 problem rows");
  const found = await problemRows(fileId);
  expect(found).toEqual([
    ["Row number", "Rejection reason", ...header.split(",")],
    ["3", "Valid quantity is required", "W1", "PICK", "none", "2026-03-01T00:00:00Z", "=1+1"],
    ["4", "Valid quantity is required", "W1", "PICK", "", "2026-03-01T00:00:00Z", "-5"],
  ]);
  const put = found.map((cells, index) => (index === 0 ? cells : cells.with(4, "7")).map((cell) => `"${cell}"`).join(","));
  const again = await checked(new File([put.join("\n")], "problem-rows.csv"));
  expect(again.html).toContain("Every row would be accepted");
  expect(button(again.html)).toBe("Upload");
  await nothingLeft();
});

test("the download of problem rows begins before the file is judged again, however long that takes; a failure breaks it off", async () => {
  const { fileId } = await checked(csv(some(1, 2, "slow")));
  const { fileChecks } = stage.service.portal;
  const { run } = fileChecks;
  const place = new EventEmitter();
  const isFree = once(place, "free");
  const runs = vi.spyOn(fileChecks, "run");
  onTestFinished(() => runs.mockRestore());
  runs.mockImplementationOnce(async (...check) => {
    await isFree;
    return run(...check);
  });
  const address = `/portal/upload/${fileId}/problem-rows`;
  const answer = await stage.who.get(address);
  place.emit("free");
  expect([answer.status, (await rowsOf(answer)).length]).toEqual([200, 3]);
  runs.mockRejectedValueOnce(new Error("the process ended"));
  const failed = await stage.who.get(address);
  await expect(failed.arrayBuffer()).rejects.toThrow();
  await nothingLeft();
  expect(await problemRows(fileId)).toHaveLength(3);
});

test("a file whose columns were chosen has its own headings in the problem rows, and is uploaded as it was checked", async () => {
  const headings = "Site,Work,Qty,Done on,Remarks";
  const rows = ["W1,PICK,1,03/04/2026,fine", "W1,PICK,none,03/04/2026,not so"];
  const { fileId: file = "" } = await stage.send("activities", csv(rows, "work.csv", headings));
  const choice = { "column-0": "warehouseCode", "column-1": "chargeCode", "column-2": "quantity", "column-3": "activityTimestamp" };
  const choose = (act: string) => stage.sendDraft(file, { sent: "yes", ...choice, dateOrder: "dayFirst", do: act }, "/columns");
  const { html: page = "" } = await outcomeOf(await choose("check"), stage.who);
  expect([button(page), page.includes("1 row of 2 would be rejected.")]).toEqual(["Upload", true]);
  const expected = [
    ["Row number", "Rejection reason", ...headings.split(",")],
    ["3", "Valid quantity is required", "W1", "PICK", "none", "03/04/2026", "not so"],
  ];
  expect(await problemRows(file)).toEqual(expected);
  await choose("upload");
  const next = await checked(csv([...rows, "W1,PICK,2,05/04/2026,"], "work.csv", headings));
  expect(next.html).toContain("Columns as chosen");
  const { importId = "" } = await stage.upload(next.fileId);
  const { columns } = (await readImportRequest(stage.service.eventStore, importId)) ?? {};
  expect([Object.keys(columns?.headings ?? {}), columns?.dateOrder]).toEqual([headings.split(","), "dayFirst"]);
  expect(await stage.completed("activities", importId)).toMatchObject({ counts: { received: 3, processed: 2, failed: 1 } });
});

test("a checked error report is sent as the correction of its import, and has no problem rows of its own", async () => {
  const importId = await stage.uploaded("activities", `${header}\n${row("none", "r1")}\n${row("none", "r2")}\n`);
  const report = await stage.reportOf("activities", importId);
  report.set(1, "quantity", "3");
  const { html, fileId } = await checked(await report.file());
  expect([button(html), html.includes("problem row")]).toEqual(["Upload", false]);
  const sent = await stage.upload(fileId);
  expect(sent.html).toContain("Sent as a correction");
  await until("the row is corrected", async () => (await stage.states("activities", importId))["2"] === "corrected");
  const again = await sendByScript(fileId);
  expect(again.html).toContain("Sent as a correction");
  expect(again.html).toContain("Left out: 1 row that is corrected already.");
  await nothingLeft();
});

test("a file that cannot be kept is refused, and nothing is recorded", async () => {
  const { objectStore } = stage.service.deps;
  const put = objectStore.put;
  objectStore.put = async () => Promise.reject(new Error("the disk is full"));
  try {
    expect(await stage.check("activities", csv(some(1, 1, "unkept")))).toEqual({
      ...{ status: 200, error: "The file could not be kept, try again shortly" },
    });
  } finally {
    objectStore.put = put;
  }
  await nothingLeft();
});
