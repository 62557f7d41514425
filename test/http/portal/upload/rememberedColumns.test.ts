// What was chosen for earlier files: it is taken only if the whole file does not contradict it, and its fixed values are shown first.
import { expect, test } from "vitest";
import { readImportRequest } from "../../../../src/commands/imports/importStream.js";
import { headingsKey } from "../../../../src/domain/imports/columns/headings.js";
import { formToken, heading } from "../../../support/portal/portal.js";
import { type Outcome, outcomeOf, useReports } from "./reportStage.js";

const stage = useReports();
const file = (mark: string, rows: readonly string[]) =>
  new File([["Whs,Work,Qty,Done on", mark].join(), "\n", rows.join("\n")], "picks.csv");
const row = (date: string, quantity = 1) => `W1,PICK,${quantity},${date},`;
/** The last row alone says how the dates are written, far behind the first values that a page shows. */
const late = (date: string) => [...Array.from({ length: 3_000 }, (_, index) => row("04/03/2026", index + 1)), row(date)];
const wanted = { "column-0": "warehouseCode", "column-1": "chargeCode", "column-2": "quantity", "column-3": "activityTimestamp" };
const importIn = (goTo: string | null | undefined) => /^\/portal\/imports\/([0-9a-f-]{36})$/.exec(goTo ?? "")?.[1] ?? "no import";
const send = (sent: File) => stage.send("activities", sent);

/** Uploads a file whose columns are chosen so, and remembered. */
async function choose(mark: string, chosen: Record<string, string>, rows = [row("03/04/2026")]): Promise<void> {
  const { fileId } = await send(file(mark, rows));
  const sent = await stage.sendDraft(fileId ?? "", { sent: "yes", ...wanted, ...chosen }, "/columns");
  expect(importIn(sent.headers.get("location"))).not.toBe("no import");
}
/** All imports, wherever they stand. */
const importsNow = async () => {
  const ids = ["import_queue", "imports"].map((table) => `select import_id from ${table}`).join(" union ");
  return (await stage.service.pool.query(ids)).rowCount;
};
const plainly = async (address: string, sent: File) =>
  outcomeOf(await stage.who.upload(address, { token: await formToken(stage.who), page: "p", kind: "activities" }, sent), stage.who);

/** Every way in which a file comes: where each leads. */
const ways: [way: string, send: (sent: File) => Promise<Outcome>][] = [
  ["Upload", send],
  ["Check file", (sent) => stage.check("activities", sent)],
  ["Upload without scripts", (sent) => plainly("/portal/upload", sent)],
  ["Check file without scripts", (sent) => plainly("/portal/upload?do=check", sent)],
];
const columnsFor = async ({ goTo = "" }: Outcome) => {
  expect(goTo).toMatch(/columns$/);
  return (await stage.who.get(goTo)).text();
};

test.each(ways)(
  "%s of a file whose last row contradicts the remembered order of dates leads to Columns, with the reason",
  async (way, send) => {
    const mark = `order ${way}`;
    await choose(mark, { dateOrder: "dayFirst" });
    const before = await importsNow();
    const page = await columnsFor(await send(file(mark, late("05/31/2026"))));
    expect(heading(page)).toBe("Columns");
    expect(page).toContain("That choice does not fit: Done on has 05/31/2026, which can only be month first; day first was chosen.");
    expect(page).toContain("The file has 05/31/2026, which can only be month first.");
    expect(page).toMatch(/<option value="monthFirst" selected/);
    expect(await importsNow()).toBe(before);
  },
);

test("a file that agrees with the remembered order goes in, and one with dates in both orders is asked about", async () => {
  await choose("agrees", { dateOrder: "dayFirst" });
  const { importId } = (await stage.send("activities", file("agrees", late("31/05/2026")))) as { importId: string };
  expect(await readImportRequest(stage.service.eventStore, importId)).toMatchObject({ columns: { dateOrder: "dayFirst" } });
  const mixed = [row("13/04/2026"), ...late("04/13/2026")];
  const page = await columnsFor(await send(file("agrees", mixed)));
  expect(page).toContain("The file has 13/04/2026 and 04/13/2026. No order reads both");
});

test("a file that needs an order where none was chosen is asked about; dates in a column that is left out are not", async () => {
  await choose("none", {}, [row("2026-04-03")]);
  const page = await columnsFor(await send(file("none", late("04/03/2026"))));
  expect(page).toContain("Done on has 04/03/2026, and nobody has chosen whether the day or the month comes first.");
  const { goTo } = await stage.send("activities", file("none", [`${row("2026-04-03", 2)}31/05/2026`]));
  expect(importIn(goTo)).not.toBe("no import");
});

test("a file whose columns nobody has chosen yet shows what its last row says", async () => {
  const page = await columnsFor(await send(file("first", late("31/05/2026"))));
  expect(page).toContain("The file has 31/05/2026, which can only be day first.");
});

const fixed = { "column-4": "", "fixed-customerId": "CUST-001", "fixed-reference": "from the wharf" };

test("Upload shows remembered fixed values and records nothing before the button, which begins with Upload, is pressed", async () => {
  await choose("fixed", fixed, [row("2026-04-03")]);
  const before = await importsNow();
  const { html = "", fileId = "" } = await send(file("fixed", [row("2026-04-04")]));
  for (const shown of ["Customer", "CUST-001", "Reference", "from the wharf", "Nothing has been recorded yet"])
    expect(html).toContain(shown);
  expect(/<button[^>]*>(Upload[^<]*)</.exec(html)?.[1]).toBe("Upload");
  expect(await importsNow()).toBe(before);
  expect(await (await stage.who.get(`/portal/upload/${fileId}/columns`)).text()).toContain('value="CUST-001"');
  const pressed = await Promise.all([stage.upload(fileId), stage.upload(fileId)]);
  const [{ importId = "" }] = pressed;
  expect(new Set(pressed.map(({ goTo }) => goTo))).toEqual(new Set([`/portal/imports/${importId}`]));
  expect(await readImportRequest(stage.service.eventStore, importId)).toMatchObject({ columns: { fixed: { customerId: "CUST-001" } } });
  expect(await stage.completed("activities", importId)).toMatchObject({ counts: { received: 1, processed: 1 } });
});

test("without scripts too; and a file that was sent before still asks", async () => {
  await choose("plain", fixed, [row("2026-04-03")]);
  const { html, fileId } = await plainly("/portal/upload", file("plain", [row("2026-04-03")]));
  for (const page of [html, (await stage.upload(fileId)).html])
    for (const shown of ["from the wharf", "This file was sent before"]) expect(page).toContain(shown);
});

test("Check shows them, and Upload of the file that was checked goes in at once; of another file it asks", async () => {
  await choose("checked", fixed, [row("2026-04-03")]);
  const { html = "", fileId } = await stage.check("activities", file("checked", [row("2026-04-05")]));
  expect(html).toContain("CUST-001");
  expect((await send(file("checked", [row("2026-04-06")]))).html).toContain("CUST-001");
  expect((await stage.upload(fileId)).importId).toBeDefined();
});

test("a remembered customer that the organisation no longer has leads to Columns, with the reason", async () => {
  await choose("customer", { ...fixed, "fixed-customerId": "CUST-001" }, [row("2026-04-03")]);
  const key = headingsKey(["Whs", "Work", "Qty", "Done on", "customer"]);
  const gone = `update column_choices set choice = jsonb_set(choice, '{fixed,customerId}', '"GONE"') where headings_key = $1`;
  await stage.service.pool.query(gone, [key]);
  const { goTo } = await stage.send("activities", file("customer", [row("2026-04-04")]));
  expect(await (await stage.who.get(goTo ?? "")).text()).toContain(
    "That choice does not fit: The fixed value of Customer: Customer not found.",
  );
});

const ours = (quantities: readonly string[], mark = "", kind = "warehouseCode,chargeCode,quantity,activityTimestamp") =>
  new File([[kind, ...quantities.map((quantity) => `W1,PICK,"${quantity}",2026-03-01`)].join("\n")], `numbers${mark}.csv`);
const numbersIn = (page: string) => ({
  chosen: /<select[^>]* name="decimal".*?<\/select>/s.exec(page)?.[0].match(/<option value="([^"]*)" selected/)?.[1] ?? "",
  said: /The file has [^<]+/.exec(page)?.[0],
});
const quantitiesOf = async (importId: string) => {
  await stage.completed("activities", importId);
  const answer = await stage.organisation.get(`/v1/org/ledger/activities?importId=${importId}`);
  return ((await answer.json()) as { items: { quantity: number }[] }).items.map(({ quantity }) => quantity);
};

test.each<[what: string, quantities: string[], chosen: string, said: string]>([
  ["a decimal comma", ["3", "1.234", "1,5"], "comma", "The file has 1,5, which can only have a decimal comma."],
  ["a point with thousands", ["1,234", "1,234.5"], "point", "The file has 1,234.5, which can only have a decimal point."],
  ["thousands apart", ["1 234"], "point", "The file has 1 234."],
  ["a point in two ways", ["1.234"], "", "The file has 1.234, which can be read in two ways. Say which is meant."],
  ["a comma in two ways", ["7", "1,234"], "", "The file has 1,234, which can be read in two ways. Say which is meant."],
  ["both kinds", ["1,5", "0.5"], "", "The file has 1,5 and 0.5. No choice reads both: rows with the other one are rejected."],
])("our own headings with %s lead to Columns, which says what was recognised or asks", async (_, quantities, chosen, said) => {
  for (const [, send] of ways) {
    const page = await columnsFor(await send(ours(quantities)));
    expect(numbersIn(page)).toEqual({ chosen, said });
  }
});

test("whole numbers and decimal points go straight in, however many rows come before the first", async () => {
  const before = await importsNow();
  for (const quantities of [
    ["1", "1234", "-7"],
    ["1.234", "0.5"],
    ["n/a", "1.23.456", "2"],
  ])
    expect(importIn((await stage.send("activities", ours(quantities, quantities[0]))).goTo)).not.toBe("no import");
  expect((await importsNow()) ?? 0).toBe((before ?? 0) + 3);
  const late = ours([...Array.from({ length: 3_000 }, () => "1"), "1,5"]);
  expect((await send(late)).goTo).toMatch(/columns$/);
});

test("what can be read in two ways is not uploaded before the answer, which the next month's file needs no more", async () => {
  const { fileId = "" } = await send(ours(["1.234", "2"]));
  const before = await importsNow();
  for (const act of ["upload", "check"]) {
    const refused = await stage.sendDraft(fileId, { sent: "yes", ...wanted, do: act }, "/columns");
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("quantity has 1.234, and nobody has chosen")]);
  }
  expect(await importsNow()).toBe(before);
  const sent = await stage.sendDraft(fileId, { sent: "yes", ...wanted, decimal: "comma" }, "/columns");
  const importId = importIn(sent.headers.get("location"));
  expect(await readImportRequest(stage.service.eventStore, importId)).toMatchObject({ columns: { decimal: "comma" } });
  expect(await quantitiesOf(importId)).toEqual([1234, 2]);
  const next = (await stage.send("activities", ours(["2,5", "1.234", "3"]))) as { importId?: string };
  expect(await quantitiesOf(next.importId ?? "none")).toEqual([2.5, 1234, 3]);

  const page = await columnsFor(await send(ours(["0.5", "4"])));
  expect(page).toContain("That choice does not fit: quantity has 0.5, which has no decimal comma; a decimal comma was chosen.");
  expect(numbersIn(page)).toEqual({ chosen: "point", said: "The file has 0.5, which can only have a decimal point." });
});
