// What was checked is uploaded without being chosen again, and its problem rows are downloaded.
import { EventEmitter, once } from "node:events";
import { readdir } from "node:fs/promises";
import ExcelJS from "exceljs";
import { expect, onTestFinished, test, vi } from "vitest";
import { firstRequest } from "../../../../src/commands/imports/importStream.js";
import { formToken } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { header, last, useReports } from "./reportStage.js";

const stage = useReports();
const kept = "/portal/upload/kept";

const row = (quantity: string, reference: string) => `W1,PICK,${quantity},2026-03-01T00:00:00Z,${reference}`;
const csv = (rows: readonly string[], name = "picks.csv", headings = header) => new File([[headings, ...rows].join("\n")], name);
const some = (valid: number, invalid: number, mark: string) => [
  ...Array.from({ length: valid }, (_, index) => row("1", `${mark}${index}`)),
  ...Array.from({ length: invalid }, () => row("none", mark)),
];
const checked = async (file: File, kind: "activities" | "shipments" = "activities") => {
  const html = (await stage.check(kind, file)).html ?? "";
  return { html, fileId: /data-checked="([^"]+)"/.exec(html)?.[1] ?? "no file" };
};
const send = async (fields: Record<string, string>) => stage.who.post(kept, { token: await formToken(stage.who), ...fields });
const sendByScript = async (fields: Record<string, string>) =>
  fetch(`${stage.service.url}${kept}/send`, {
    method: "POST",
    headers: {
      ...{ accept: "application/json", "content-type": "application/json", "x-form-token": await formToken(stage.who) },
      ...{ origin: stage.service.url, cookie: [...stage.who.cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    },
    body: JSON.stringify(Object.entries(fields)),
  });
const importOf = (answer: Response) => /^\/portal\/imports\/([0-9a-f-]{36})$/.exec(answer.headers.get("location") ?? "")?.[1] ?? "none";
const button = (html: string) => /<button[^>]*>(Upload [^<]* valid rows?)<\/button>/.exec(html)?.[1];
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
  const answer = await stage.who.get(`${kept}/${fileId}/problem-rows`);
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
  [0, 2, undefined, "No row is valid, so there is nothing to upload."],
  [1, 0, "Upload 1 valid row", "The file is kept for a day."],
  [1, 1, "Upload 1 valid row", "the other one becomes a rejected row, to be corrected or dismissed under Rejected rows"],
  [1_000, 2, "Upload 1,000 valid rows", "the other 2 become rejected rows"],
])("of %i valid and %i other rows the button says %s", async (valid, invalid, label, hint) => {
  const { html } = await checked(csv(some(valid, invalid, `b${valid}-${invalid}-`)));
  expect(button(html)).toBe(label);
  expect(html).toContain(hint);
  expect(html.includes("problem row")).toBe(invalid > 0);
  expect(html.indexOf("check-next")).toBeLessThan(html.indexOf('class="figures"'));
});

test("the button makes one import of the whole file, however often it is pressed, with scripts or without", async () => {
  const { fileId } = await checked(csv(some(2, 1, "once")));
  const answers = await Promise.all([send({ file: fileId }), send({ file: fileId }), send({ file: fileId })]);
  expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
  const [importId = ""] = answers.map(importOf);
  expect(new Set(answers.map(importOf))).toEqual(new Set([importId]));
  expect(await (await sendByScript({ file: fileId })).json()).toEqual({ importId, goTo: `/portal/imports/${importId}` });
  const download = await stage.who.get(`${kept}/${fileId}/problem-rows`);
  expect([download.status, download.headers.get("location")]).toEqual([302, `/portal/imports/${importId}`]);
  expect(await stage.completed("activities", importId)).toMatchObject({ counts: { received: 3, processed: 2, failed: 1 } });
  expect(await firstRequest(stage.service.eventStore, importId)).toMatchObject({ file: { name: "picks.csv" }, sourceDetails: "picks.csv" });
  await nothingLeft();
});

test("scripts get the import's page; a file that was sent before asks first, and goes in again when asked to", async () => {
  const file = () => csv(some(1, 0, "again"));
  const first = (await (await sendByScript({ file: (await checked(file())).fileId })).json()) as { importId: string };
  const { fileId, html } = await checked(file());
  expect(html).toContain("This is the same file as");
  const asked = await (await send({ file: fileId })).text();
  expect(asked).toContain("This file was sent before");
  expect(asked).not.toContain("choose the file once more");
  expect(asked).toContain(`name="again" value="${first.importId}"/><button type="submit">Upload again`);
  expect((await last(await sendByScript({ file: fileId }))).html).toContain(`name="again" value="${first.importId}"`);
  const again = importOf(await send({ file: fileId, again: first.importId }));
  expect(await firstRequest(stage.service.eventStore, again)).toMatchObject({ sameFileAs: first.importId });
});

test("a file that is no longer kept, of another organisation, or lost from the store is to be chosen again", async () => {
  const gone = "The file is no longer available. Upload it again.";
  const expectGone = async (file: string) => {
    const plain = await send({ file });
    expect([plain.status, await plain.text()]).toEqual([404, expect.stringContaining(gone)]);
    expect((await last(await sendByScript({ file }))).error).toContain(gone);
    const download = await stage.who.get(`${kept}/${file}/problem-rows`);
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

test("a check from the same page takes the place of the one before, and so does an upload of the chosen file", async () => {
  const countKept = async () =>
    (await stage.service.pool.query("select from kept_files where organisation_id = $1 and import_id is null", [stage.organisation.id]))
      .rowCount;
  const before = (await countKept()) ?? 0;
  const token = await formToken(stage.who);
  const script = { accept: "application/json", "x-form-token": token };
  const check = async (mark: string, earlier: string) => {
    const fields = { kind: "activities", page: "p", checked: earlier };
    const { html = "" } = await last(await stage.who.upload("/portal/upload/check", fields, csv(some(1, 0, mark)), script));
    return /data-checked="([^"]+)"/.exec(html)?.[1] ?? "no file";
  };
  const second = await check("place2", await check("place1", ""));
  expect(await countKept()).toBe(before + 1);
  expect((await stage.send("activities", csv(some(1, 0, "place3")), { checked: second })).status).toBe(202);
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
  expect(button(again.html)).toBe("Upload 2 valid rows");
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
  const address = `${kept}/${fileId}/problem-rows`;
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
  const waiting = (await last(await stage.send("activities", csv(rows, "work.csv", headings)))).goTo ?? "";
  const file = /upload\/(.*)\/columns$/.exec(waiting)?.[1] ?? "";
  const choice = { "column-0": "warehouseCode", "column-1": "chargeCode", "column-2": "quantity", "column-3": "activityTimestamp" };
  const token = await formToken(stage.who);
  const answer = await stage.who.post("/portal/upload/columns", {
    token,
    sent: "yes",
    file,
    ...choice,
    dateOrder: "dayFirst",
    do: "check",
  });
  const page = await answer.text();
  expect(page).toContain('<button type="submit" form="upload" name="do" value="upload">Upload 1 valid row</button>');
  const expected = [
    ["Row number", "Rejection reason", ...headings.split(",")],
    ["3", "Valid quantity is required", "W1", "PICK", "none", "03/04/2026", "not so"],
  ];
  expect(await problemRows(file)).toEqual(expected);
  await stage.who.post("/portal/upload/columns", { token, sent: "yes", file, ...choice, dateOrder: "dayFirst", do: "upload" });
  const next = await checked(csv([...rows, "W1,PICK,2,05/04/2026,"], "work.csv", headings));
  expect(next.html).toContain("Columns as chosen");
  const importId = importOf(await send({ file: next.fileId }));
  const { columns } = (await firstRequest(stage.service.eventStore, importId)) ?? {};
  expect([Object.keys(columns?.headings ?? {}), columns?.dateOrder]).toEqual([headings.split(","), "dayFirst"]);
  expect(await stage.completed("activities", importId)).toMatchObject({ counts: { received: 3, processed: 2, failed: 1 } });
});

test("a checked error report is sent as the correction of its import, and has no problem rows of its own", async () => {
  const importId = await stage.uploaded("activities", `${header}\n${row("none", "r1")}\n${row("none", "r2")}\n`);
  const report = await stage.reportOf("activities", importId);
  report.set(1, "quantity", "3");
  const { html, fileId } = await checked(await report.file());
  expect([button(html), html.includes("problem row")]).toEqual(["Upload 1 valid row", false]);
  const sent = await send({ file: fileId });
  expect([sent.status, await sent.text()]).toEqual([200, expect.stringContaining("Sent as a correction")]);
  await until("the row is corrected", async () => (await stage.states("activities", importId))["2"] === "corrected");
  expect((await last(await sendByScript({ file: fileId }))).html).toContain("Nothing was sent");
  await nothingLeft();
});

test("where the file cannot be kept, the check still tells what it found", async () => {
  const { objectStore } = stage.service.deps;
  const put = objectStore.put;
  objectStore.put = async () => Promise.reject(new Error("the disk is full"));
  try {
    const { html } = await checked(csv(some(1, 1, "unkept")));
    expect(html).toContain("1 row of 2 would be rejected.");
    expect(html).toContain("The file could not be kept. To upload it, choose it again.");
    expect(button(html)).toBeUndefined();
  } finally {
    objectStore.put = put;
  }
});
