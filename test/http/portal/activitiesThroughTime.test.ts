// Activities as of an earlier time, what has changed since, and all activities of one import, also those that no longer count.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activity, append, tell } from "../../support/importStory.js";
import { addMember, signedIn, type Visitor } from "../../support/portal/portal.js";
import { projectLog } from "../../support/projectLog.js";
import { reverse } from "../../support/reversalStory.js";
import { startTestService, type TestService } from "../../support/service.js";

let service: TestService;
let viewer: Visitor;
let stranger: Visitor;
const [first, twice] = [randomUUID(), randomUUID()];
const [wholeId, rowId] = [randomUUID(), randomUUID()];

beforeAll(async () => {
  service = await startTestService();
  const { id: organisationId } = await service.organisation((file) => Object.assign(file.organisation, { timezone: "Australia/Adelaide" }));
  const at = "2026-03-01T09:30:00Z";
  const rows = [
    { accept: activity({ customerId: "CUST-001", quantity: 1000.25, activityTimestamp: at }) },
    { accept: activity({ customerId: "CUST-001", quantity: 4, activityTimestamp: at, chargeCode: "PACK" }) },
    { accept: activity({ quantity: 7, activityTimestamp: at }) },
  ];
  const push = (importId: string, sourceDetails: string, time: string) =>
    append(service.eventStore, tell({ importId, organisationId, kind: "activities", sourceDetails, rows, at: time }));
  await push(first, "once.csv", "2026-03-05T00:00:00.000Z");
  await push(twice, "twice.csv", "2026-03-06T00:00:00.000Z");
  const reversed = { organisationId, importId: twice };
  await reverse(service.eventStore, {
    ...reversed,
    ...{ reversalId: rowId, rows: [[2, 2]], count: 1, reason: "Not <ours>", at: "2026-03-07T00:00:00.000Z" },
  });
  await reverse(service.eventStore, { ...reversed, reversalId: wholeId, count: 2, at: "2026-03-08T00:00:00.000Z" });
  await projectLog(service);
  viewer = await signedIn(service, await addMember(service, organisationId, "viewer"));
  stranger = await signedIn(service, await addMember(service, (await service.organisation()).id, "admin"));
});
afterAll(() => service?.close());

const page = async (query: string, who = viewer) => (await who.get(`/portal/activities?${query}`)).text();
/** The page's text without tags. */
const words = (html: string) => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
const download = (file: string) => viewer.get(`/portal/activities/${file}`, { accept: "*/*" });

describe("as of a time", () => {
  test.each([
    ["2026-03-05T10:29", "No activities in March 2026"], // Adelaide is ten and a half hours ahead of UTC
    ["2026-03-05T10:30", "Total 3"],
    ["2026-03-06T10:30", "Total 6"],
    ["2026-03-07T10:30", "Total 5"],
    ["2026-03-08T00:00:00Z", "Total 3"],
  ])("%s the totals are those that were known then: %s", async (asOf, said) => {
    const read = words(await page(`month=2026-03&asOf=${asOf}`));
    expect(read).toContain(said);
    expect(read).toMatch(/As known on \d Mar 2026, \d\d:\d\d:00 \(Australia\/Adelaide\)/);
  });

  test.each([
    ["2026-03-05T10:30", 3],
    ["2026-03-06T10:30", 6],
    ["2026-03-07T10:30", 5],
    ["2026-03-08T10:30", 3],
  ])("%s: the rows are those of then, %i of them, and say so", async (asOf, count) => {
    const html = await page(`month=2026-03&view=rows&asOf=${asOf}`);
    expect(words(html)).toContain(`${count} rows`);
    expect(html.match(/class="row-history"/g)).toHaveLength(count);
    expect(words(await page(`month=2026-03&view=rows&charge=PACK&asOf=${asOf}`))).toMatch(/\d rows? , quantity (4|8) /);
    expect(words(await page(`month=2026-03&view=rows&from=2026-03-01&to=2026-03-01&asOf=${asOf}`))).toContain(`${count} activities`);
  });

  test("numbers of rows lead to the rows of then, other views keep the time, and it can be cleared", async () => {
    const html = await page("month=2026-03&asOf=2026-03-06T10:30");
    expect(html).toMatch(/name="asOf"[^>]* value="2026-03-06T10:30:00"/);
    const linked = (label: string) => new RegExp(`href="([^"]*)"[^>]*>${label}`).exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    expect(words(await (await viewer.get(linked("By warehouse"))).text())).toContain("Total 6");
    expect(words(await (await viewer.get(linked("Rows<"))).text())).toContain("6 rows");
    expect(html).toMatch(/href="[^"]*view=rows[^"]*asOf=[^"]*" aria-label="Show the 2 rows of PACK, Acme Retail"/);
    expect(linked('<span class="unseen">Clear As of')).not.toContain("asOf");
  });

  test("the downloaded totals are of that time, and the file's name says so", async () => {
    const response = await download("totals.csv?month=2026-03&asOf=2026-03-06T10:30");
    expect(response.headers.get("content-disposition")).toContain('"activity-totals-2026-03-as-of-2026-03-06-1030.csv"');
    expect(await response.text()).toContain(`"CUST-001","Acme Retail","PICK",2000.5,2`);
    const html = await page("month=2026-03&asOf=2026-03-06T10:30");
    expect(html).toContain("totals.csv?month=2026-03&amp;asOf=2026-03-06T00%3A00%3A00.000Z");
    expect(html).not.toContain("rows.csv");
  });

  test.each(["asOf", "since"])("a %s that is no time is answered 400, with an alert above the page", async (name) => {
    const response = await viewer.get(`/portal/activities?month=2026-03&${name}=yesterday`);
    expect(response.status).toBe(400);
    expect(/role="alert"[\s\S]*?<\/p>/.exec(await response.text())?.[0]).toContain("must be a time, such as");
  });
});

describe("changes since a time", () => {
  test("are the imports and reversals, each with its amounts, who and why, and their sum", async () => {
    const html = await page("month=2026-03&since=2026-03-05T10:30");
    const read = words(html);
    expect(read).toMatch(
      /6 Mar 2026, 10:30:00 Import twice\.csv by key .*?PACK \+4 \+1 .*?PICK \+1,000\.25 \+1 .*?PICK \+7 \+1 3 rows more \+3/,
    );
    expect(read).toMatch(/7 Mar 2026, 10:30:00 Reversal of twice\.csv by the command line: Not &lt;ours&gt; .*?PICK -1,000\.25 -1/);
    expect(read).toMatch(/8 Mar 2026, 10:30:00 Reversal of twice\.csv .*? 2 rows fewer -2 All changes 0/);
    expect(read).toContain("The changes cancel each other out");
    expect(read).not.toContain("once.csv");
    expect(html).toContain(`href="/portal/imports/${twice}"`);
    for (const id of [rowId, wholeId]) expect(html).toContain(`href="/portal/imports/${twice}#reversal-${id}"`);
  });

  test("have their difference by customer and charge code", async () => {
    const read = words(await page("month=2026-03&since=2026-03-06T10:30"));
    expect(read).toMatch(/The difference by customer and charge code.*Acme Retail CUST-001 PACK -4 -1 .*PICK -1,000\.25 -1 .*Total -3/);
    expect(words(await page("month=2026-03&charge=PACK&since=2026-03-06T10:30"))).toContain("All changes -4 -1");
    expect(words(await page("month=2026-03&since=2026-03-08T10:30"))).toContain("Nothing has changed since then");
  });

  test("are downloaded with a line for each amount, under a name with the time", async () => {
    const response = await download("changes.csv?month=2026-03&since=2026-03-06T10:30");
    expect(response.headers.get("content-disposition")).toContain('"activity-changes-2026-03-since-2026-03-06-1030.csv"');
    const [head, line, ...more] = (await response.text()).split("\r\n");
    expect(head).toBe(
      '"When","What","Import id","Reference","Reversal id","Reason","By","Customer id","Customer","Charge code","Quantity","Rows"',
    );
    expect(line).toBe(
      `2026-03-07T10:30:00,"reversal","${twice}","twice.csv","${rowId}","Not <ours>","the command line","CUST-001","Acme Retail","PICK",-1000.25,-1`,
    );
    expect(more).toHaveLength(3);
    const workbook = await download("changes.xlsx?month=2026-03&since=2026-03-06T10:30");
    expect(
      Buffer.from(await workbook.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe("PK");
    expect((await download("changes.csv?month=2026-03")).status).toBe(400);
  });
});

describe("the activities of one import", () => {
  test("are listed for all days in the order of the file, with those that no longer count and why", async () => {
    const html = await page(`import=${twice}`);
    const read = words(html);
    expect(read).toMatch(
      /Imports twice\.csv Activities .*All days .*1,000\.25 .*Reversed 2 , the activity .*PACK 4 .*Reversed 3 , .*Reversed 4 ,/,
    );
    expect(html).toContain(`href="/portal/imports/${twice}#reversal-${rowId}" title="Not &lt;ours&gt;"`);
    expect(words(await page(`import=${first}`))).toMatch(/1,000\.25 .*Billed 2 ,/);
    expect(words(await page(`import=${first}&charge=PACK`))).toMatch(/All days .*PACK 4 .*Billed 3 ,/);
    expect(words(await page(`import=${first}&month=2026-02`))).toContain("No activities of this import match");
  });

  test("that count are downloaded", async () => {
    expect((await (await download(`rows.csv?import=${twice}`)).text()).split("\r\n")).toHaveLength(2);
    const response = await download(`rows.csv?import=${first}`);
    expect(response.headers.get("content-disposition")).toContain(`"activity-rows-import-${first.slice(0, 8)}.csv"`);
    expect((await response.text()).split("\r\n")).toHaveLength(5);
  });

  test("are 404 for another organisation's import, as for one that does not exist", async () => {
    for (const [who, id] of [
      [stranger, first],
      [viewer, randomUUID()],
      [viewer, "x"],
    ] as const)
      expect((await who.get(`/portal/activities?import=${id}`)).status).toBe(404);
    expect((await stranger.get(`/portal/activities/rows.csv?import=${first}`, { accept: "*/*" })).status).toBe(404);
  });
});

test("a time up to which the tables do not have everything yet is answered 503, since a later reader would see something else", async () => {
  const { id: organisationId } = await service.organisation();
  await append(service.eventStore, tell({ organisationId, kind: "activities", rows: [{ accept: activity({}) }] }));
  const later = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
  const asked = [`?asOf=${later}`, `?since=${later}`, `/totals.csv?asOf=${later}`, `/changes.xlsx?since=${later}`];
  const answers = () => Promise.all(asked.map(async (query) => (await viewer.get(`/portal/activities${query}`)).status));
  expect(await answers()).toEqual(asked.map(() => 503));
  await projectLog(service);
  expect(await answers()).toEqual(asked.map(() => 200));
});
