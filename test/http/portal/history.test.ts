import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { streamOf } from "../../../src/events/streams.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { revisionOfRow } from "../../../src/queries/streamSearch.js";
import { activity, goodsLine, type Row, tell } from "../../support/importStory.js";
import { addMember, heading, signedIn, type Visitor } from "../../support/portal/portal.js";
import { projectLog } from "../../support/projectLog.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

const importId = randomUUID();
let service: TestService;
let organisation: TestOrganisation;
let viewer: Visitor;
let stranger: Visitor;

beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  viewer = await signedIn(service, await addMember(service, organisation.id, "viewer"));
  stranger = await signedIn(service, await addMember(service, (await service.organisation()).id, "admin"));
  const rows = Array.from(
    { length: 60 },
    (_, n): Row => (n === 40 ? { reject: "Customer <not> found", handle: "X" } : { accept: goodsLine(`SO-${n}`) }),
  );
  const { stream, events } = tell({ importId, organisationId: organisation.id, kind: "shipments", rows });
  await service.eventStore.append(stream, events, noStream);
  await projectLog(service);
});
afterAll(() => service?.close());

const text = async (path: string, who = viewer) => {
  const response = await who.get(path);
  return { status: response.status, page: await response.text() };
};
const eventsIn = (page: string) => page.match(/class="raw-event"/g)?.length ?? 0;

test("an import's events are shown in words and as recorded, page by page, each once", async () => {
  const path = `/portal/imports/${importId}/history`;
  expect((await text(`/portal/imports/${importId}`)).page).toContain(`href="${path}"`);
  let address: string | undefined = path;
  let all = "";
  const counts: number[] = [];
  while (address && counts.length < 10) {
    const { page } = await text(address);
    counts.push(eventsIn(page));
    all += page;
    address = /href="([^"]*)" rel="next">Next page/.exec(page)?.[1]?.replaceAll("&amp;", "&");
  }
  expect(counts).toEqual([25, 25, 13]);
  for (const said of ["Started", "Row 2 accepted", "Row 42 rejected: Customer &lt;not&gt; found", "Completed, "])
    expect(all).toContain(said);
  expect(all).toContain("&quot;type&quot;: &quot;RowRejected&quot;");
  expect(heading(all)).toBe("History");
});

test("a shipment's version links to its row's event", async () => {
  const { page } = await text("/portal/shipments/SO-50");
  const link = /href="([^"]*\/history\?row=52)"/.exec(page)?.[1] ?? "";
  expect(/Row \d+ \w+/.exec((await text(link)).page)?.[0]).toBe("Row 52 accepted");
  const stream = streamOf.import(importId);
  const find = (row: number) => revisionOfRow(service.eventStore, stream, row);
  expect(await Promise.all([0, 2, 3, 61, 62, 9_999].map(find))).toEqual([2n, 2n, 3n, 61n, 62n, 62n]);
});

test("a quote's event is shown, and not to another organisation", async () => {
  const priced = await organisation.post("/v1/org/quote/getQuote", {
    general: { customerIds: ["CUST-001"] },
    ...{ origin: { postalCode: "2000" }, destination: { postalCode: "3000" } },
    items: [{ quantity: 1, length: 0.5, width: 0.4, height: 0.4, weight: 10 }],
  });
  const { results } = (await priced.json()) as { results: { quoteId: string }[] };
  const path = `/portal/quotes/${results[0]?.quoteId}/history`;
  expect((await text(`/portal/quotes?quote=${results[0]?.quoteId}`)).page).toContain(`href="${path}"`);
  const { page } = await text(path);
  expect(page).toContain("Priced for one customer by key");
  expect(eventsIn(page)).toBe(1);
  for (const there of [path, `/portal/imports/${importId}/history`, `/portal/imports/${importId}/history?of=corrections`])
    expect((await text(there, stranger)).status).toBe(404);
  expect((await text("/portal/quotes/x/history")).status).toBe(404);
  expect((await text(`/portal/imports/${importId}/history?of=corrections`)).page).toContain("Nothing is recorded here");
  expect((await text(`/portal/imports/${importId}/history?from=-1`)).status).toBe(200);
  expect((await text(`/portal/imports/${importId}/history?from=999999999999`)).status).toBe(200);
});

test("a rejected row and an activity link to their event, which is shown in words and as recorded", async () => {
  const { page } = await text(`/portal/imports/${importId}`);
  const link = /href="([^"]*\/history\?row=42)"/.exec(page)?.[1] ?? "";
  const rejected = (await text(link)).page;
  expect(/Row \d+ \w+/.exec(rejected)?.[0]).toBe("Row 42 rejected");
  const story = {
    organisationId: organisation.id,
    kind: "activities",
    rows: [{ accept: activity() }, { accept: activity({ quantity: 7 }) }],
  } as const;
  const told = tell(story);
  await service.eventStore.append(told.stream, told.events, noStream);
  await projectLog(service);
  const activities = (await text("/portal/activities?month=2026-03&view=rows")).page;
  const other = /href="([^"]*\/activities\/[^"/]*\/3)"/.exec(activities)?.[1] ?? "";
  const events = /href="([^"]*\/history\?row=3)"/.exec((await text(other)).page)?.[1] ?? "";
  const accepted = (await text(events)).page;
  expect(/Row [^<]*/.exec(accepted)?.[0]).toBe("Row 3 accepted: 7 of PICK in warehouse W1");
  expect(accepted).toContain("&quot;quantity&quot;: 7");
});

test("an import is shown as it was at a given time, from its stream", async () => {
  const own = tell({
    ...{ organisationId: organisation.id, kind: "shipments", sourceDetails: "by and by" },
    rows: [{ reject: "x", handle: "A" }, { accept: goodsLine("AS-1") }, { accept: goodsLine("AS-2") }],
  });
  const path = `/portal/imports/${own.importId}`;
  const times: Date[] = [];
  for (const [index, event] of own.events.entries()) {
    await service.eventStore.append(own.stream, [event], BigInt(index) - 1n);
    times.push((await service.eventStore.last(own.stream))?.recordedAt ?? new Date(0));
    // Wait, so that the next event is recorded in another millisecond.
    while (Date.now() <= (times.at(-1)?.getTime() ?? 0) + 1) await new Promise((resolve) => setImmediate(resolve));
  }
  await projectLog(service);
  const asOf = async (time: Date | undefined) => {
    const { status, page } = await text(`${path}?asOf=${encodeURIComponent(time?.toISOString() ?? "")}`);
    expect(status).toBe(200);
    const [, badge] = /<h2 id="as-it-was">.*?<span class="badge[^"]*">(\w+)</s.exec(page) ?? [];
    const [, rows, rejected] = /Rows checked<\/dt><dd>(?:<[^>]*>)?(\d+).*?Rejected<\/dt><dd>(?:<[^>]*>)?(\d+)/s.exec(page) ?? [];
    return [badge, Number(rows), Number(rejected), page.includes("Completed, ")];
  };
  expect(await asOf(times[0])).toEqual(["Waiting", 0, 0, false]);
  expect(await asOf(times[1])).toEqual(["Running", 0, 0, false]);
  expect(await asOf(times[2])).toEqual(["Running", 1, 1, false]);
  expect(await asOf(times[4])).toEqual(["Running", 3, 1, false]);
  expect(await asOf(times[5])).toEqual(["Completed", 3, 1, true]);
  expect((await text(`${path}?asOf=2020-01-01T00:00`)).page).toContain("This import did not exist at that time");
  expect((await text(`${path}?asOf=yesterday`)).status).toBe(400);
  expect((await text(path)).page).toContain('name="asOf"');
  expect((await text(`${path}?asOf=2020-01-01T00:00`, stranger)).status).toBe(404);
});
