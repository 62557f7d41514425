// The first rejected rows come with the page, the same ones that its script would ask for.
import { expect, test } from "vitest";
import { addMember, signedIn } from "../../../support/portal/portal.js";
import { type Json, useRejectedRows } from "./stage.js";

const stage = useRejectedRows();
const header = "warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference";

async function upload(lines: readonly string[]): Promise<{ importId: string; page: (query?: string) => Promise<string>; rows: Rows }> {
  const organisation = await stage.service.organisation();
  const who = await signedIn(stage.service, await addMember(stage.service, organisation.id, "operator"));
  const file = new File([[header, ...lines].join("\n")], "picks.csv");
  const answer = await organisation.upload("/v1/org/fulfilment/activities/file", file, { sourceDetails: 'Picks <of> "Monday"' });
  const { importId } = (await answer.json()) as { importId: string };
  await stage.completed(importId);
  return {
    importId,
    page: async (query = "") => (await who.get(`/portal/corrections${query}`)).text(),
    rows: async (query = "") => (await (await who.get(`/portal/corrections/rows${query}`)).json()) as SentPage,
  };
}

type Rows = (query?: string) => Promise<SentPage>;
interface SentPage {
  readonly rows: readonly Json[];
  readonly references: Json;
  readonly next: string | null;
}

const line = (reference: string, customer = "CUST-999") => `SYD1,PICK,1,2026-03-01T09:30:00Z,${customer},${reference}`;
const unescaped = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&#39;", "'").replaceAll("&amp;", "&");
const given = (html: string): SentPage | undefined => {
  const text = unescaped(/ data-first="([^"]*)"/.exec(html)?.[1] ?? "");
  return text === "" ? undefined : (JSON.parse(text) as SentPage);
};
/** The rows of the table: their classes, and of each cell its classes and text. */
const rowsIn = (html: string) =>
  [...(/<tbody>(.*?)<\/tbody>/s.exec(html)?.[1] ?? "").matchAll(/<tr class="([^"]*)">(.*?)<\/tr>/gs)].map(([, row = "", content = ""]) => ({
    row,
    cells: [...content.matchAll(/<t[dh][^>]* class="cell ([^"]*)">(.*?)<\/t[dh]>/gs)].map(
      ([, cell = "", text = ""]) => [cell, text.replaceAll(/<[^>]*>/g, "")] as const,
    ),
  }));

test("the page has the first rows with their numbers, imports, problems and values; the faults are marked, and no value is markup", async () => {
  const { importId, page, rows } = await upload([line('<b>1 & "2"</b>'), line("R-2", "<script>")]);
  const html = await page();
  const row = (number: string, customer: string, reference: string) => ({
    row: "grid-row wrong",
    cells: [
      ["pick", ""],
      ["number", number],
      ["problem", "Customer not found"],
      ["import", "Picks &lt;of&gt; &quot;Monday&quot;"],
      ["field", "SYD1"],
      ["field", "PICK"],
      ["field amounts", "1"],
      ["field time", "2026-03-01T09:30:00Z"],
      ["field faulty", customer],
      ["field", reference],
    ],
  });
  expect(rowsIn(html)).toEqual([row("2", "CUST-999", "&lt;b&gt;1 &amp; &quot;2&quot;&lt;/b&gt;"), row("3", "&lt;script&gt;", "R-2")]);
  expect(html).not.toMatch(/<template|<b>1/);
  expect(given(html)).toEqual(await rows());
  const ofImport = await page(`?import=${importId}`);
  expect(rowsIn(ofImport).map(({ cells }) => cells.length)).toEqual([9, 9]); // the import is that of all rows
});

test("of many rows the page has fifty, and the script goes on after them", async () => {
  const { page, rows } = await upload(Array.from({ length: 60 }, (_, index) => line(`R-${index + 1}`)));
  const html = await page();
  const first = given(html);
  const number = ({ row }: Json) => Number(row);
  expect(rowsIn(html).map(({ cells }) => Number(cells[1]?.[1]))).toEqual(first?.rows.map(number));
  const rest = await rows(`?kind=activities&cursor=${first?.next}`);
  expect([...(first?.rows ?? []), ...rest.rows].map(number)).toEqual(Array.from({ length: 60 }, (_, index) => index + 2));
  expect([first?.rows.length, rest.next]).toEqual([50, null]);
  // Another page of the list is for browsers without scripts: the grid begins with the first row.
  const second = await page(`?kind=activities&cursor=${first?.next}`);
  expect([given(second), rowsIn(second).length]).toEqual([undefined, 10]);
});

test("rows of long texts make no long page: texts are cut, and the script asks for the rows", async () => {
  const { page, rows } = await upload(Array.from({ length: 50 }, (_, index) => line(`${index} ${"long ".repeat(700)}`)));
  const html = await page();
  expect((await rows()).rows).toHaveLength(50);
  expect(given(html)).toBeUndefined();
  expect(rowsIn(html)[0]?.cells.at(-1)).toEqual(["field faulty", `${`0 ${"long ".repeat(700)}`.slice(0, 200)}...`]);
  expect(html.length).toBeLessThan(100_000);
});
