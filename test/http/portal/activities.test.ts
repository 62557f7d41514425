// The page of activities and its downloads, without a browser.

import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";
import { columnsOf } from "../../../src/domain/imports/fields.js";
import { eventually } from "../../support/eventually.js";
import { heading } from "../../support/portal/portal.js";
import { many, useActivities } from "./activitiesStage.js";

const stage = useActivities();

const page = async (query: string, who = stage.viewer) => (await who.get(`/portal/activities?${query}`)).text();
/** The page's text without tags. */
const words = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("the page", () => {
  test("has exact totals of a month in the organisation's time zone, with names and the number of rows; charge codes are not added up", async () => {
    const html = await page("month=2026-03");
    expect(heading(html)).toBe("Activities");
    const read = words(html);
    expect(read).toContain("Acme Retail CUST-001 PICK 0.3 2");
    expect(read).toContain("Without a customer @SUM(A1) -1,234,567.5 1");
    expect(read).toContain("Total 3");
    expect(read).not.toContain("-1,234,567.2");
    expect(html).not.toContain("SECRET");
    expect(words(await page("month=2026-03&by=warehouse"))).toMatch(/PICK W1 0\.1 1 .*PICK W2 0\.2 1/);
  });

  test("links from a total to its rows, and from a row to its import", async () => {
    const html = await page("month=2026-03");
    const link =
      /href="([^"]*view=rows[^"]*)" aria-label="Show the 2 rows of PICK, Acme Retail"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const rows = await (await stage.viewer.get(link)).text();
    expect(rows).toContain(`href="/portal/imports/${stage.importId}"`);
    expect(words(rows)).toMatch(/1 Mar 2026, 00:00 .*march &lt;b&gt;\.csv row 3 .*31 Mar 2026, 23:59 .*row 4/);
    expect(words(rows)).not.toContain("1,000");
  });

  test("shows every field of the rows, and the import of each", async () => {
    const html = await page("month=2026-03&view=rows");
    const headings = Array.from(html.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g), ([, heading]) => heading);
    expect(headings).toHaveLength(columnsOf("activities").length + 1);
  });

  test("pages through the rows by a cursor", async () => {
    const seen: string[] = [];
    let address = "/portal/activities?month=2021-01&view=rows";
    for (let n = 0; n < 3; n += 1) {
      const html = await (await stage.viewer.get(address)).text();
      seen.push(...[...html.matchAll(/title="(R-\d+)"/g)].map(([, reference]) => reference ?? ""));
      address = /href="([^"]+cursor=[^"]+)" rel="next">Next page/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    }
    expect(seen).toEqual(Array.from({ length: 150 }, (_, n) => `R-${n}`));
  });

  test.each([
    ["month=2026-13", "Month"],
    ["month=x", "Month"],
    ["from=2026-02-30&to=2026-03-01", "From"],
    ["from=2026-03-02&to=2026-03-01", "From must not be after To"],
    ["from=1899-12-31", "From"],
    [`charge=${"x".repeat(201)}`, "at most 200"],
    ["month=2026-03&view=rows&cursor=abc", "cursor"],
  ])("%s is answered 400, with an alert above the page", async (query, said) => {
    const response = await stage.viewer.get(`/portal/activities?${query}`);
    const html = await response.text();
    expect([response.status, heading(html)]).toEqual([400, "Activities"]);
    expect(/role="alert"[\s\S]*?<\/p>/.exec(html)?.[0]).toContain(said);
  });

  test.each([
    ["from=2026-02-28&to=2026-02-28", "28 February 2026", "Total 1,000 1"],
    ["from=2026-03-01&to=2026-03-31", "March 2026", "Total 3"],
    ["from=2026-03-01&to=2026-04-01", "1 March 2026 to 1 April 2026", "Total 4"],
    ["customer=CUST-001&month=2026-03", "March 2026", "Total 0.3 2"],
    ["customer=(none)&month=2026-03", "March 2026", "Total -1,234,567.5 1"],
    ["warehouse=W2&month=2026-03", "March 2026", "Total 0.2 1"],
    ["month=2020-02", "February 2020", "No activities in February 2020"],
  ])("%s", async (query, period, total) => {
    const read = words(await page(query));
    expect(read).toContain(period);
    expect(read).toContain(total);
  });

  test("offers a download where there are activities", async () => {
    for (const view of ["", "&view=rows"]) {
      expect(await page(`month=2026-03${view}`)).toContain("Download CSV");
      expect(await page(`month=2020-02${view}`)).not.toContain("Download CSV");
    }
  });

  test("shows this month by default", async () => {
    const { format } = new Intl.DateTimeFormat("en-AU", { timeZone: "Australia/Adelaide", month: "long", year: "numeric" });
    const [before, read, after] = [format(new Date()), words(await page("")), format(new Date())]; // a new month may begin during the request
    expect([before, after].map((month) => `No activities in ${month}`)).toContain(/No activities in \w+ \d+/.exec(read)?.[0]);
  });
});

describe("a download", () => {
  const filled = ["warehouseCode", "chargeCode", "quantity", "activityTimestamp", "customerId", "reference", "status"];
  /** Columns that were added later: no row of this test has a value in them. */
  const added = columnsOf("activities").flatMap(({ name }) => (filled.includes(name) ? [] : [name]));
  const blank = ",".repeat(added.length);
  const totals = ["Customer id", "Customer", "Charge code", "Quantity", "Rows"];
  const quoted = (texts: readonly string[]) => texts.map((text) => `"${text}"`).join(",");
  const csv = async (file: string, who = stage.viewer) => (await who.get(`/portal/activities/${file}`, { accept: "*/*" })).text();

  test("of rows has the import's columns; values that a spreadsheet would run as formulas are text, and numbers stay numbers", async () => {
    const response = await stage.viewer.get("/portal/activities/rows.csv?month=2026-03", { accept: "*/*" });
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="activity-rows-2026-03.csv"');
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.text()).toBe(
      [
        quoted([...filled, ...added, "importId", "row"]),
        `"W1","'@SUM(A1)",-1234567.5,"2026-03-10T00:00:00+10:30",,"'-5","'+1",${blank}"${stage.importId}",6`,
        `"W1","PICK",0.1,"2026-02-28T13:30:00Z","CUST-001",,,${blank}"${stage.importId}",3`,
        `"W2","PICK",0.2,"2026-03-31T13:29:59Z","CUST-001","'=HYPERLINK(""x""),\r\n""y""",,${blank}"${stage.importId}",4`,
        "",
      ].join("\r\n"),
    );
  });

  test("of totals has the lines of the page: by customer and charge code, and by warehouse where that is chosen", async () => {
    expect(await csv("totals.csv?month=2026-03")).toBe(
      [quoted(totals), `"CUST-001","Acme Retail","PICK",0.3,2`, `,,"'@SUM(A1)",-1234567.5,1`, ""].join("\r\n"),
    );
    expect(await csv("totals.csv?month=2026-03&by=warehouse")).toBe(
      [
        quoted(["Customer id", "Customer", "Charge code", "Warehouse", "Quantity", "Rows"]),
        `"CUST-001","Acme Retail","PICK","W1",0.1,1`,
        `"CUST-001","Acme Retail","PICK","W2",0.2,1`,
        `,,"'@SUM(A1)","W1",-1234567.5,1`,
        "",
      ].join("\r\n"),
    );
    expect(await csv("totals.csv?month=2020-02")).toBe(`${quoted(totals)}\r\n`);
  });

  test("as a workbook has the same cells", async () => {
    const response = await stage.viewer.get("/portal/activities/rows.xlsx?month=2026-03", { accept: "*/*" });
    const path = join(stage.service.deps.tempDir, "rows.xlsx");
    await writeFile(path, Buffer.from(await response.arrayBuffer()));
    const read: unknown[] = [];
    for await (const { rows } of spreadsheets.readRows(path, { format: "xlsx" })) read.push(...rows.map(({ cells }) => cells));
    const values = ["W1", "@SUM(A1)", "-1234567.5", "2026-03-10T00:00:00+10:30", "", "-5", "+1"];
    expect(read).toContainEqual([...values, ...added.map(() => ""), stage.importId, "6"]);
    expect(read).toHaveLength(3);
  });

  test("of many rows has every row once", async () => {
    const lines = (await csv("rows.csv?month=2021-01")).split("\r\n").slice(1, -1);
    expect(lines).toHaveLength(many);
    expect(new Set(lines.map((line) => line.split(",")[5])).size).toBe(many);
  });

  test("holds nothing of another organisation", async () => {
    for (const file of ["rows.csv?", "totals.csv?by=warehouse&"]) {
      expect(await csv(`${file}month=2026-03`)).not.toContain("SECRET");
      expect(await csv(`${file}month=2026-03`, stage.stranger)).toContain("SECRET");
      expect(await csv(`${file}month=2026-03`, stage.stranger)).not.toContain("CUST-001");
    }
  });

  test("with dates that are wrong is refused: as JSON for a script, as a page for a browser", async () => {
    const script = await stage.viewer.get("/portal/activities/rows.csv?month=x", { accept: "*/*" });
    expect([script.status, ((await script.json()) as { message: string }).message]).toEqual([400, expect.stringContaining("Month")]);
    const browser = await stage.viewer.get("/portal/activities/rows.csv?month=x");
    expect([browser.status, browser.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
  });

  test.each(["rows.csv", "rows.xlsx"])(
    "%s: a third download at once is refused; a cancelled one frees its database connection, and the next one begins",
    async (file) => {
      const path = `/portal/activities/${file}?month=2021-01`;
      const begun = await Promise.all([begin(path), begin(path)]);
      const third = await stage.viewer.get(path, { accept: "*/*" });
      expect([third.status, await third.text()]).toEqual([503, expect.stringContaining("Other downloads are running")]);
      expect(stage.service.pool.totalCount - stage.service.pool.idleCount).toBe(2);
      for (const { response } of begun) response.destroy();
      await eventually(() => stage.service.pool.totalCount === stage.service.pool.idleCount, "the connections to be free");
      (await begin(path)).response.destroy();
      await eventually(() => stage.service.pool.totalCount === stage.service.pool.idleCount, "the connection to be free");
    },
  );

  test.each(["rows.csv", "rows.xlsx"])(
    "%s whose database connection is lost breaks off, and is not taken for the whole file",
    async (file) => {
      const { response } = await begin(`/portal/activities/${file}?month=2021-01`);
      await stage.service.pool.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy (%' and datname = current_database()",
      );
      const ended = await new Promise((resolve) => {
        response.once("end", () => resolve("whole"));
        response.once("error", () => resolve("broken off"));
        response.resume();
      });
      expect(ended).toBe("broken off");
      await eventually(() => stage.service.pool.totalCount === stage.service.pool.idleCount, "the connection to be free");
    },
  );

  /** Begins a download as a browser that reads the headers and then nothing. */
  async function begin(path: string) {
    const cookie = [...stage.viewer.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const asked = request(`${stage.service.url}${path}`, { headers: { cookie, accept: "*/*" } }).end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.pause();
    response.on("error", () => undefined);
    expect(response.statusCode).toBe(200);
    return { response };
  }
});
