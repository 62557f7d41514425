// A workbook with rows on more than one sheet: only the first visible one is read, and that is said before anything is recorded.
import ExcelJS from "exceljs";
import { expect, test } from "vitest";
import { formToken } from "../../../support/portal/portal.js";
import { header, outcomeOf, useReports } from "./reportStage.js";

const stage = useReports();
const note = "Only the first visible sheet, &quot;Monday&quot;, was read. &quot;Tuesday&quot; has rows too, which were not";
const nobody = () => stage.service.pool.query("select from imports where organisation_id = $1", [stage.organisation.id]);

async function workbook(name: string, headings = header): Promise<File> {
  const book = new ExcelJS.Workbook();
  for (const day of ["Monday", "Tuesday"])
    book.addWorksheet(day).addRows([headings.split(","), ["W1", "PICK", 2, "2026-03-01T00:00:00Z", name]]);
  book.addWorksheet("Empty");
  return new File([new Uint8Array(await book.xlsx.writeBuffer())], name);
}

test("Check says which sheets with rows were not read, and so does the import that the checked file becomes", async () => {
  const { html = "", fileId } = await stage.check("activities", await workbook("checked.xlsx"));
  expect(html).toContain(note);
  expect(html).toContain("Every row would be accepted.");
  expect(html.indexOf(note)).toBeLessThan(html.indexOf("Every row would be accepted."));
  const { importId = "none" } = await stage.upload(fileId);
  const { counts, sourceDetails } = (await stage.completed("activities", importId)) as Record<string, unknown>;
  expect(counts).toEqual({ received: 1, processed: 1, failed: 0 });
  expect(sourceDetails).toMatch(/^checked\.xlsx \(Only the first visible sheet, "Monday", was read\. "Tuesday" has rows too/);
  expect(await (await stage.who.get(`/portal/imports/${importId}`)).text()).toContain(note);
});

test("Upload without a check asks first, and records nothing until it is answered", async () => {
  const before = (await nobody()).rowCount;
  const file = await workbook("sent.xlsx");
  const { html, fileId } = await stage.send("activities", file);
  const fields = { token: await formToken(stage.who), kind: "activities", page: "p" };
  const plain = await outcomeOf(await stage.who.upload("/portal/upload", fields, file), stage.who);
  for (const question of [html, plain.html]) {
    expect(question).toContain(note);
    expect(question).toContain("Nothing has been recorded yet.");
  }
  expect((await nobody()).rowCount).toBe(before);
  const { importId = "none" } = await stage.upload(fileId);
  expect(await stage.completed("activities", importId)).toMatchObject({ counts: { received: 1, processed: 1, failed: 0 } });
});

test("the page Columns says it of a file whose headings are not ours", async () => {
  const file = await workbook("own.xlsx", "Site,Work,Qty,Done on,Notes");
  const { goTo = "" } = await stage.send("activities", file);
  expect(goTo).toMatch(/^\/portal\/upload\/[0-9a-f-]{36}\/columns$/);
  expect(await (await stage.who.get(goTo)).text()).toContain(note);
});

test("an error report with rows on a sheet of its own is asked about before its rows are corrected", async () => {
  const report = await stage.reportOf("activities", await stage.uploaded("activities", `${header}\nW1,PICK,none,2026-03-01T00:00:00Z,r\n`));
  report.set(1, "quantity", "4");
  report.book.addWorksheet("Mine").addRow(["a note"]);
  const { html, fileId } = await stage.send("activities", await report.file());
  expect(html).toContain("&quot;Mine&quot; has rows too");
  expect(await stage.states("activities", report.importId)).toEqual({ 2: "open" });
  const { importId = "none" } = await stage.upload(fileId);
  expect(await stage.completed("activities", importId)).toMatchObject({ counts: { processed: 1 } });
});
