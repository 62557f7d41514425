// An uploaded, corrected error report is a correction of its import: each row is recorded once, also when others correct it too.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import ExcelJS from "exceljs";
import { describe, expect, test } from "vitest";
import { dismissRows } from "../../../../src/commands/corrections/dismissRows.js";
import { readImportRequest } from "../../../../src/commands/imports/importStream.js";
import { limits } from "../../../../src/domain/imports/limits.js";
import { addMember, formToken, signedIn } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { everyCase } from "../../../support/projects/everyCase.js";
import { reverse } from "../../../support/reversalStory.js";
import { badActivities, byScript, header, importIn, outcomeOf, statusPath, useReports } from "./reportStage.js";

const stage = useReports();
const { completed, uploaded, reportOf, send, check, states } = stage;

describe("a corrected error report", () => {
  test("is recognised as a correction; rows that are open and correct are sent, the others stay open for the next upload", async () => {
    const importId = await uploaded("activities", badActivities(4));
    const report = await reportOf("activities", importId);
    expect(report.name).toContain(importId);
    report.set(1, "quantity", "3");
    report.set(2, "quantity", "4");
    await dismissRows(stage.service.deps, {
      ...{
        organisationId: stage.organisation.id,
        importId,
        rows: [3],
        note: "not ours",
        by: { kind: "member", id: stage.member.memberId },
      },
      ...{ requestId: "r", now: new Date() },
    });
    // The report is recognised by the workbook's properties, whatever the file's name is.
    const checked = await check("activities", await report.file("from Anna.xlsx"));
    expect(checked.html).toContain("This is the error report of import");
    expect(checked.html).toMatch(/Rows accepted<\/dt><dd><span class="amount">1</);
    expect(checked.html).toContain("Left out: 1 row that is dismissed.");
    expect(checked.html).toContain("2 rows of 3 would not be sent.");

    const sent = await send("activities", await report.file("from Anna.xlsx"));
    const correction = importIn(sent);
    expect(await completed("activities", correction)).toMatchObject({
      ...{
        counts: { received: 1, processed: 1, failed: 0 },
        correctionOf: { importId, rows: [2] },
        sourceDetails: expect.stringMatching(/^Correction of (?!.*[0-9a-f]{8}-)/),
      },
    });
    expect((await readImportRequest(stage.service.eventStore, correction))?.by).toEqual({ kind: "member", id: stage.member.memberId });
    await until("the states are told", async () => (await states("activities", importId))[2] === "corrected");
    expect(await states("activities", importId)).toEqual({ 2: "corrected", 3: "dismissed", 4: "open", 5: "open" });

    // The same report again, with the other rows corrected: it is saved as CSV and recognised by its name.
    report.set(3, "quantity", "5");
    report.set(4, "quantity", "6");
    const path = join(stage.folder, "report.csv");
    await report.book.csv.writeFile(path);
    const csv = new File([await readFile(path)], report.name.replace(".xlsx", ".csv"));
    const again = await send("activities", csv);
    expect(again.html).toContain("Left out: 1 row that is corrected already, 1 row that is dismissed.");
    expect(again.html).not.toContain("problem-group");
    expect(await completed("activities", importIn(again))).toMatchObject({ correctionOf: { importId, rows: [4, 5] } });
    const nothing = await send("activities", csv);
    expect(nothing.html).toContain("Nothing was sent");
    expect(nothing.html).toContain("Left out: 3 rows that are corrected already, 1 row that is dismissed.");
    expect((await check("activities", csv)).html).toContain("None of its rows is open any more.");
    expect((await readdir(stage.service.deps.tempDir)).filter((name) => name.startsWith("upload-"))).toEqual([]);
  });

  test("without a fault leads to the import of its correction; uploaded as a new file it is a plain import", async () => {
    const importId = await uploaded("activities", badActivities(2));
    const report = await reportOf("activities", importId);
    for (const row of [1, 2]) report.set(row, "quantity", "1");
    const file = await report.file();
    const { fileId, html = "" } = await check("activities", file);
    expect(html).toContain('<option value="correction" selected');
    const { importId: plain = "" } = await stage.upload(fileId, { take: "file" });
    expect(await completed("activities", plain)).toMatchObject({ counts: { processed: 2 } });
    expect((await readImportRequest(stage.service.eventStore, plain))?.corrects).toBeUndefined();
    const sent = await send("activities", file, { sourceDetails: "Anna's corrections" });
    expect(sent.goTo).toMatch(/^\/portal\/imports\/[0-9a-f-]{36}$/);
    expect(await completed("activities", importIn(sent))).toMatchObject({
      sourceDetails: "Anna's corrections",
      correctionOf: { rows: [2, 3] },
    });
  });

  test("is downloaded with the open rows only, or with all of them", async () => {
    const importId = await uploaded("activities", `${badActivities(4)}W1,PICK,none,2026-03-01T00:00:00Z,=1+1\n`);
    const get = async (query = "") => {
      const answer = await stage.who.get(`/portal/imports/${importId}/report${query}`);
      const location = answer.headers.get("location");
      return location === null ? answer : fetch(`${stage.service.url}${location}`);
    };
    const rowsIn = async (answer: Response) => {
      const book = new ExcelJS.Workbook();
      await book.xlsx.load(await answer.arrayBuffer());
      const values: unknown[] = [];
      book.worksheets[0]?.eachRow((row) => values.push((row.values as unknown[]).slice(1)));
      return { subject: book.subject, values };
    };
    const all = await rowsIn(await get("?rows=all"));
    expect(await rowsIn(await get())).toEqual(all); // while all rows are open
    const rows = [3, 5].map((row) => ({ row, values: { quantity: "1" } }));
    const { importId: correction } = (await (
      await stage.organisation.post(`${statusPath.activities}/${importId}/corrections`, { rows })
    ).json()) as { importId: string };
    await completed("activities", correction);
    await until("the states are told", async () => (await states("activities", importId))[5] === "corrected");
    const answer = await get();
    expect(answer.headers.get("content-disposition")).toContain(`rejected-rows-${importId}.xlsx`);
    const open = await rowsIn(answer.clone());
    expect(open).toEqual({ subject: all.subject, values: [0, 1, 3, 5].map((at) => all.values[at]) });
    expect((await rowsIn(await get("?rows=all"))).values).toHaveLength(6);
    expect(await (await stage.who.get(`/portal/imports/${importId}`)).text()).toContain("Download with all rejected rows");
    // What was downloaded is recognised, also under another name.
    const file = new File([new Uint8Array(await answer.arrayBuffer())], "mine.xlsx");
    expect((await check("shipments", file)).html).toContain("This is the error report of import");
    expect((await readdir(stage.service.deps.tempDir)).filter((name) => name.startsWith("report-"))).toEqual([]);
  });

  test("of an import that is reversed is refused, and says why", async () => {
    const importId = await uploaded("activities", badActivities(2));
    const report = await reportOf("activities", importId);
    for (const row of [1, 2]) report.set(row, "quantity", "1");
    await reverse(stage.service.eventStore, { organisationId: stage.organisation.id, importId, count: 0 });
    const checked = await check("activities", await report.file());
    expect(checked.html).toContain("which is reversed: its rejected rows are withdrawn");
    expect(checked.html).toContain("Left out: 2 rows that are withdrawn with their import.");
    const sent = await send("activities", await report.file());
    expect(sent.html).toContain("Nothing was sent");
    expect(sent.html).toContain("Left out: 2 rows that are withdrawn with their import.");
    await until("the states are told", async () => (await states("activities", importId))[2] === "withdrawn");
    const page = await (await stage.who.get(`/portal/imports/${importId}`)).text();
    expect(page).toContain("Withdrawn");
    expect(page).not.toContain("Correct rejected rows");
  });

  test("that lost a column, has a row twice or is of an unknown import gets a reason for each; its kind is that of its import", async () => {
    const importId = await uploaded("activities", badActivities(2));
    const lost = `Row number,Rejection reason,warehouseCode,chargeCode,quantity,activityTimestamp\n2,x,W1,PICK,1,2026-03-01\n`;
    const named = (text: string, id = importId) => new File([text], `rejected-rows-${id}.csv`);
    expect((await check("activities", named(lost))).error).toBe(
      "The error report has lost column(s): reference. Download it again, and keep all of its columns.",
    );
    const row = (number: string) => `${number},x,W1,PICK,1,2026-03-01T00:00:00Z,r\n`;
    const rows = (...numbers: string[]) => `Row number,Rejection reason,${header}\n${numbers.map(row).join("")}`;
    expect((await check("activities", named(rows("2", "2")))).error).toMatch(/^Rows 2 and 3 of the file have the same row number, 2/);
    expect((await check("activities", named(rows("2", "77", "none")))).html).toMatch(
      /<h3>Its row number is not a rejected row of this report&#39;s import <span class="count">2 rows<.*: it is 77</,
    );
    expect((await check("activities", named(rows("2"), "x"))).html).toContain("does not say of which import");
    expect((await check("shipments", named(rows("2")))).html).toContain("Every row would be accepted.");
    const strangers = await stage.service.organisation();
    const stranger = await signedIn(stage.service, await addMember(stage.service, strangers.id, "operator"));
    const token = await formToken(stranger);
    const fields = { token, kind: "activities", page: "p" };
    const foreign = await stranger.upload("/portal/upload?do=check", fields, named(rows("2")), byScript);
    const { html } = await outcomeOf(foreign, stranger);
    expect(html).toContain("Every row would be accepted.");
    expect(html).not.toContain("This is the error report");
  });

  test.runIf(everyCase)("with more rows than one correction may have becomes several imports, with each row in one of them", async () => {
    const count = limits.rowsPerReportImport + 1;
    const importId = await uploaded("activities", badActivities(count));
    const mended = Array.from({ length: count }, (_, index) => `${index + 2},x,W1,PICK,1,2026-03-01T00:00:00Z,r${index}`);
    const text = `Row number,Rejection reason,${header}\n${mended.join("\n")}\n`;
    const sent = await send("activities", new File([text], `rejected-rows-${importId}.csv`));
    const ids = [...(sent.html ?? "").matchAll(/imports\/([0-9a-f-]{36})">Open import \d of 2</g)].map(([, id]) => id ?? "");
    expect(ids).toHaveLength(2);
    const received = [];
    for (const id of ids) received.push((await completed("activities", id))["counts"]);
    expect(received).toEqual([limits.rowsPerReportImport, 1].map((rows) => ({ received: rows, processed: rows, failed: 0 })));
  });

  test("the rejected lines of a shipment are sent together, or stay open together", async () => {
    const columns = "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,itemQuantity";
    const line = (id: string, quantity: string) => `${id},2000,Sydney,3000,Melbourne,CARTON,${quantity}`;
    const importId = await uploaded(
      "shipments",
      [columns, line("A", "none"), line("A", "1"), line("B", "none"), line("B", "none"), line("C", "none"), line("C", "1"), ""].join("\n"),
    );
    const report = await reportOf("shipments", importId);
    report.set(1, "itemQuantity", "2"); // the only faulty line of A
    report.set(3, "itemQuantity", "2"); // one of the two faulty lines of B
    report.set(5, "itemQuantity", "2");
    report.drop(6); // a line of C is missing from the report
    const sent = await send("shipments", await report.file());
    expect(await completed("shipments", importIn(sent))).toMatchObject({
      ...{ counts: { received: 2, processed: 1, failed: 0 }, correctionOf: { importId, rows: [2, 3] } },
    });
    expect(sent.html).toContain("The rejected lines of a shipment are corrected together");
    await until("the states are told", async () => (await states("shipments", importId))[2] === "corrected");
    expect(await states("shipments", importId)).toEqual({ 2: "corrected", 3: "corrected", 4: "open", 5: "open", 6: "open", 7: "open" });
  });

  test("of a JSON push has its elements: of two with one shipmentId the later wins, in whatever order its rows stand", async () => {
    const element = (shipmentId: string, quantities: number[], customerId = "CUST-999") => ({
      ...{
        shipmentId,
        customerId,
        originPostCode: "2000",
        originSuburb: "Sydney",
        destinationPostCode: "3000",
        destinationSuburb: "Melbourne",
      },
      items: quantities.map((itemQuantity) => ({ itemType: "CARTON", itemQuantity })),
    });
    const shipments = [element("E1", [5, 6]), element("E1", [7]), element("E2", [5]), element("E2", [7], "")];
    const { importId } = (await (await stage.organisation.post(statusPath.shipments, { shipments })).json()) as { importId: string };
    const report = await reportOf("shipments", importId);
    for (const row of [1, 2, 3, 4]) report.set(row, "customerId", "");
    const sheet = report.book.worksheets[0];
    const [first, second, third] = [2, 3, 4].map((row) => sheet?.getRow(row).values as string[]);
    for (const [index, values] of [third, first, second].entries()) if (sheet && values) sheet.getRow(index + 2).values = values;
    const sent = await send("shipments", await report.file());
    expect(sent.html).toContain("1 row whose shipment was written later");
    await completed("shipments", importIn(sent));
    for (const shipmentId of ["E1", "E2"]) {
      const answer = await stage.organisation.get(`/v1/org/ledger/shipments/${shipmentId}`);
      expect(await answer.json()).toMatchObject({ items: [{ itemQuantity: 7 }] });
    }
  });

  test("sent by two members while the same rows are corrected over the API: each row is recorded once", async () => {
    const importId = await uploaded("activities", badActivities(3));
    const report = await reportOf("activities", importId);
    for (const row of [1, 2, 3]) report.set(row, "quantity", "1");
    const file = await report.file();
    const rows = [2, 3, 4].map((row) => ({ row, values: { quantity: "1" } }));
    const overApi = () => stage.organisation.post(`${statusPath.activities}/${importId}/corrections`, { rows });
    const other = await signedIn(stage.service, await addMember(stage.service, stage.organisation.id, "operator"));
    const token = await formToken(other);
    const byOther = async () =>
      outcomeOf(await other.upload("/portal/upload", { token, kind: "activities", page: "p" }, file, byScript), other);
    await Promise.all([send("activities", file), overApi(), byOther(), overApi()]);
    await until("all imports have ended", async () => (await stage.service.pool.query("select from import_queue")).rowCount === 0);
    await until("the states are told", async () =>
      Object.values(await states("activities", importId)).every((state) => state === "corrected"),
    );
    const { rows: written } = await stage.service.pool.query<{ reference: string; count: number }>(
      `select a.reference, count(*)::int as count from activities a join imports i on i.position = a.import_position and i.status = 'completed'
        where i.corrects ->> 'importId' = $1 group by 1 order by 1`,
      [importId],
    );
    expect(written).toEqual(["r0", "r1", "r2"].map((reference) => ({ reference, count: 1 })));
  });
});
