// The page Columns at its edges: forms that are sent twice, by two people or after a kill, and the largest files and catalogues.
import { expect, test, vi } from "vitest";
import { findKeptFile } from "../../../../src/commands/imports/keptFiles.js";
import { rememberColumns } from "../../../../src/commands/organisations/rememberColumns.js";
import { headingsKey } from "../../../../src/domain/imports/columns/headings.js";
import { limits } from "../../../../src/domain/imports/limits.js";
import { rememberedColumns } from "../../../../src/queries/organisations/columnChoices.js";
import { addMember, formToken, signedIn, type Visitor } from "../../../support/portal/portal.js";
import { outcomeOf, useReports } from "./reportStage.js";

const stage = useReports();
const path = "/portal/upload/columns";
const csv = (lines: readonly string[]) => new File([lines.join("\n")], "picks.csv");
const named = (id: string, rows: readonly string[]) => csv([`Whs,Work,Qty,Done on,${id}`, ...rows]);
const wanted = { "column-0": "warehouseCode", "column-1": "chargeCode", "column-2": "quantity", "column-3": "activityTimestamp" };
const fileIn = (goTo: string | null | undefined) => /^\/portal\/upload\/([0-9a-f-]{36})\/columns$/.exec(goTo ?? "")?.[1] ?? "no file";
const waiting = async (file: File) => fileIn((await stage.send("activities", file)).goTo);
const send = async ({ file, ...fields }: Record<string, string>, who: Visitor = stage.who) =>
  who.post(file ? `/portal/upload/${file}/columns` : path, { token: await formToken(who), sent: "yes", do: "upload", ...fields });
const another = async () => signedIn(stage.service, await addMember(stage.service, stage.organisation.id, "operator"));

/** Sends the form; the process ends when the import is recorded, and before the choice is remembered and the file released. */
async function killed(fields: Record<string, string>): Promise<void> {
  const clock = vi.spyOn(stage.service.portal.organisations, "now").mockRejectedValueOnce(new Error("killed"));
  try {
    expect((await send(fields)).status).toBe(500);
  } finally {
    clock.mockRestore();
  }
}
/** The pages of the imports of a file, queued, ended or shown. */
const importsOf = async (sha256: string) => {
  const tables = ["import_queue", "imports"];
  const ids = tables.map((table) => `select import_id as "importId" from ${table} where file_sha256 = $1`);
  const { rows } = await stage.service.pool.query<{ importId: string }>(ids.join(" union "), [sha256]);
  return rows.map(({ importId }) => `/portal/imports/${importId}`);
};
const remembered = async (headings: readonly string[]) =>
  rememberedColumns(stage.organisation.id, { kind: "activities", key: headingsKey(headings) }, stage.service.pool);

test.each([
  ["the same form", {}, false],
  ["another choice", { "column-4": "reference" }, false],
  ["another member's form", {}, true],
])("after a kill between import and release, %s leads to the one import and ends the file's wait", async (id, change, byAnother) => {
  const fileId = await waiting(named(id, ["W1,PICK,1,2026-03-01,x"]));
  const kept = await findKeptFile(stage.organisation.id, fileId, stage.service.pool);
  const form = { file: fileId, ...wanted };
  await killed(form);
  expect(await remembered(["Whs", "Work", "Qty", "Done on", id])).toBeUndefined();
  const sent = await send({ ...form, ...change }, byAnother ? await another() : stage.who);
  expect([sent.headers.get("location")]).toEqual(await importsOf(kept?.file.sha256 ?? ""));
  expect((await remembered(["Whs", "Work", "Qty", "Done on", id]))?.headings).toMatchObject({ Qty: "quantity", [id]: null });
  expect(await stage.service.objectStore.exists(kept?.file.key ?? "")).toBe(false);
});

test("after a kill, a changed choice is remembered too, unless somebody has chosen again since", async () => {
  const headings = ["Whs", "Work", "Qty", "Done on", "Later"];
  const choose = async (row: string) => {
    return (await stage.check("activities", named("Later", [row]))).fileId ?? "";
  };
  await send({ file: await choose("W1,PICK,1,2026-03-01,x"), ...wanted });
  const second = { file: await choose("W1,PICK,2,2026-03-01,x"), ...wanted, "column-4": "reference" };
  await killed(second);
  await send(second);
  expect((await remembered(headings))?.headings).toMatchObject({ Later: "reference" });
  const third = { file: await choose("W1,PICK,3,2026-03-01,x"), ...wanted };
  await killed(third);
  // Without a file the columns stand in the order of the alphabet: Done on, Later, Qty, Whs, Work.
  const saved = { "column-0": "activityTimestamp", "column-2": "quantity", "column-3": "warehouseCode", "column-4": "chargeCode" };
  await send({ kind: "activities", headings: headingsKey(headings), ...saved, "fixed-reference": "chosen since" });
  await send(third);
  expect(await remembered(headings)).toMatchObject({ fixed: { reference: "chosen since" } });
});

test("two members who send one file at once, with two choices, make one import", async () => {
  const fileId = await waiting(named("two", ["W1,PICK,1,2026-03-01,x"]));
  const other = await another();
  const answers = await Promise.all([send({ file: fileId, ...wanted }), send({ file: fileId, ...wanted, "column-4": "reference" }, other)]);
  expect(new Set(answers.map(({ headers }) => headers.get("location")))).toEqual(
    new Set([expect.stringMatching(/^\/portal\/imports\/[0-9a-f-]{36}$/)]),
  );
});

test("the report of a file with the most columns is taken again", async () => {
  const more = Array.from({ length: limits.chosenColumns - 4 }, (_, index) => `h${index}`);
  const row = `W1,PICK,none,2026-03-01${",x".repeat(more.length)}`;
  const fileId = await waiting(csv([["Whs", "Work", "Qty", "Done on", ...more].join(), row]));
  const sent = await send({ file: fileId, ...wanted });
  const report = await stage.reportOf("activities", sent.headers.get("location")?.split("/").at(-1) ?? "");
  report.set(1, "Qty", "3");
  expect((await stage.check("activities", await report.file())).html).toContain("Every row would be accepted");
});

/** A member of an organisation with as many custom fields as there can be, two of them with the same label. */
async function largest() {
  const organisation = await stage.service.organisation((file) => {
    file.customFields = Array.from({ length: limits.customFields }, (_, index) => ({
      key: `k${index}`.padEnd(64, "_"),
      label: `${Math.max(index, 1)}`.padEnd(200, "\u904b"),
    }));
    for (const carrier of file.carriers) carrier.mandatoryCustomFields = [];
  });
  const who = await signedIn(stage.service, await addMember(stage.service, organisation.id, "operator"));
  /** The address of the page for a file with so many columns. */
  const open = async (columns: number) => {
    const headings = Array.from({ length: columns }, (_, index) => ours[index] ?? `h${index}`);
    const fields = { token: await formToken(who), page: "p", kind: "shipments" };
    const sent = await who.upload("/portal/upload", fields, csv([headings.join(), "1,".repeat(columns - 1)]));
    const address = sent.headers.get("location") ?? "";
    return { address, page: await (await who.get(address)).text() };
  };
  return { who, open };
}
const ours = ["Shipment ID", "From suburb", "From postcode", "To suburb", "To postcode", "Item type"];

test("each column has its list of fields up to 500,000 bytes of lists; beyond that they share one", async () => {
  const { open } = await largest();
  const list = /<select [^>]*data-taken[^>]*>(.*?)<\/select>/s.exec((await open(2)).page)?.[1]?.replace(" selected", "") ?? "";
  const most = Math.floor(500_000 / Buffer.byteLength(list));
  const count = (page: string) => [page.match(/<select [^>]*data-taken/g)?.length, page.match(/<input [^>]*data-taken/g)?.length];
  const [last, first] = [(await open(most)).page, (await open(most + 1)).page];
  expect([count(last), count(first)]).toEqual([
    [most, undefined],
    [undefined, most + 1],
  ]);
  expect(Buffer.byteLength(last)).toBeLessThan(1_000_000);
});

test("with the most columns and custom fields the page stays small, and works without scripts", async () => {
  const { who, open } = await largest();
  const { address, page } = await open(limits.chosenColumns);
  expect(Buffer.byteLength(page)).toBeLessThan(1_000_000);
  const written = [...page.matchAll(/<input name="(column-\d+)" value="([^"]*)" list="fields-of-import"/g)];
  expect(written).toHaveLength(limits.chosenColumns);
  const options = [...page.matchAll(/<option value="([^"]*)" data-name="([^"]*)"/g)].map(([, value = "", name = ""]) => [value, name]);
  expect(options).toHaveLength(16 + limits.customFields);
  expect(new Set(options.map(([value]) => value)).size).toBe(options.length);
  // Every field has a column, as the browser writes it.
  const form = Object.fromEntries(written.map(([, name = "", value = ""]) => [name, value]));
  const free = options.filter(([value]) => !Object.values(form).includes(value ?? ""));
  free.forEach(([value = ""], index) => {
    form[`column-${ours.length + index}`] = value;
  });
  const blank = Object.fromEntries(options.map(([, name]) => [`fixed-${name}`, ""]));
  const token = await formToken(who);
  const fields = { token, sent: "yes", ...form, ...blank };
  const checked = await outcomeOf(await who.post(address, { ...fields, do: "check" }), who);
  expect(checked.html).toContain("Every row would be rejected");
  const refused = await who.post(address, { ...fields, "column-509": "No such field", do: "upload" });
  const again = await refused.text();
  expect([refused.status, again]).toEqual([
    400,
    expect.stringContaining("h509 is mapped to No such field, which is not a field of these imports."),
  ]);
  expect(again).toContain('name="column-509" value="No such field"');
  const sent = await who.post(address, { ...fields, do: "upload" });
  expect(sent.headers.get("location")).toMatch(/^\/portal\/imports\//);
});

test("a remembered choice whose custom field the catalogue has lost is shown, with what is lost", async () => {
  const ours = {
    Id: "shipmentId",
    A: "originSuburb",
    B: "originPostCode",
    C: "destinationSuburb",
    D: "destinationPostCode",
    E: "itemType",
  };
  const choice = { headings: { ...ours, Note: "customFields.gone" }, fixed: { "customFields.lost": "x", rateCardAlias: "R" } };
  const organisationId = stage.organisation.id;
  const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;
  await rememberColumns(stage.service.portal.organisations, { organisationId, kind: "shipments", choice }, origin);
  const { goTo } = await stage.send("shipments", csv(["Id,A,B,C,D,E,Note", "S1,Sydney,2000,Melbourne,3000,Box,n"]));
  const page = await (await stage.who.get(goTo ?? "")).text();
  expect(page).toContain("Note is mapped to customFields.gone, which is not a field of these imports.");
  expect(page).toContain("customFields.lost has a fixed value, and is no field of these imports.");
  expect(page).toContain("Every required field has a column or a value.");
  expect(page).toMatch(/name="fixed-rateCardAlias" value="R"/);
  const columns = Object.fromEntries(Object.values(ours).map((field, index) => [`column-${index}`, field]));
  const sent = await send({ file: fileIn(goTo), ...columns, "fixed-rateCardAlias": "R" });
  expect(sent.headers.get("location")).toMatch(/^\/portal\/imports\//);
});
