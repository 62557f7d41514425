// Accepted activities that are perhaps wrong are named: each kind at its edge, and through corrections, reversals and a rebuild.
import { describe, expect, test } from "vitest";
import { addMember, signedIn } from "../../../support/portal/portal.js";
import type { TestOrganisation } from "../../../support/service.js";
import { base, ended, type Json, json, useCorrections } from "../corrections/stage.js";

const stage = useCorrections();
const { newOrganisation, expectTruth } = stage;

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const begun = Date.now();
const ago = (ms: number) => new Date(begun - ms).toISOString();

/** Each one is another, so that none repeats another by chance. */
let made = 0;
const activity = (more: Json = {}): Json => {
  made += 1;
  const own = { reference: `r${made}`, activityTimestamp: ago(made * minuteMs) };
  return { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 5, customerId: "CUST-001", ...own, ...more };
};
const times = (count: number, more: Json = {}) => Array.from({ length: count }, () => activity(more));

async function pushed(organisation: TestOrganisation, activities: readonly Json[]): Promise<Json> {
  const { importId } = await json(await organisation.post("/v1/org/fulfilment/activities", { activities }), 202);
  return ended(organisation, "activities", importId);
}

const columns = ["warehouseCode", "chargeCode", "quantity", "activityTimestamp", "customerId", "reference"];
const fileOf = (activities: readonly Json[]) =>
  new File(
    [[columns, ...activities.map((each) => columns.map((name) => each[name] ?? ""))].map((cells) => cells.join()).join("\n")],
    "some.csv",
  );

async function uploaded(organisation: TestOrganisation, activities: readonly Json[]): Promise<Json> {
  const { importId } = await json(await organisation.upload("/v1/org/fulfilment/activities/file", fileOf(activities)), 202);
  return ended(organisation, "activities", importId);
}

const unusualIn = async (organisation: TestOrganisation, { importId }: Json, query = "") =>
  (await json(await organisation.get(`${base.activities}/${importId}/unusual${query}`), 200))["items"];
const kind = (name: string, count = 1) => ({ count, kinds: [{ kind: name, count }] });

describe("a new code", () => {
  test.each([
    [99, null],
    [100, kind("newCode")],
    [101, kind("newCode")],
  ])("after %d activities that count", async (before, unusual) => {
    const organisation = await newOrganisation();
    expect((await pushed(organisation, times(before)))["unusual"]).toBe(null);
    const found = await pushed(organisation, [activity(), activity({ chargeCode: "PIKC" })]);
    expect(found["unusual"]).toEqual(unusual);
    if (unusual) expect(await unusualIn(organisation, found)).toEqual([{ row: 2, kinds: ["newCode"], near: "PICK" }]);
  });

  test("a warehouse code is one as well, a rejected or reversed activity makes no code known, and one that is near is named", async () => {
    const organisation = await newOrganisation();
    await pushed(organisation, [...times(100), activity({ chargeCode: "GONE", customerId: "CUST-999" })]);
    const first = await pushed(organisation, [activity({ chargeCode: "GONE" })]);
    expect(first["unusual"]).toEqual(kind("newCode"));
    const reversal = { all: true, reason: "A mistake" };
    await json(await organisation.post(`${base.activities}/${first["importId"]}/reversals`, reversal), 200);
    const codes = [
      { chargeCode: "GONE" },
      { warehouseCode: "SDY1" },
      { warehouseCode: "syd 1" },
      { chargeCode: "LABEL" },
      { chargeCode: "PIC" },
    ];
    const found = await pushed(organisation, [...codes.map(activity), activity()]);
    expect(await unusualIn(organisation, found)).toEqual([
      { row: 1, kinds: ["newCode"] },
      { row: 2, kinds: ["newCode"], near: "SYD1" },
      { row: 3, kinds: ["newCode"], near: "SYD1" },
      { row: 4, kinds: ["newCode"] },
      { row: 5, kinds: ["newCode"], near: "PICK" },
    ]);
    expect((await pushed(organisation, [activity({ chargeCode: "LABEL" })]))["unusual"]).toBe(null);
  });
});

describe("a quantity", () => {
  test.each([
    [19, 1_000, null],
    [20, 100, null],
    [20, 100.5, kind("quantity")],
    [21, 101, kind("quantity")],
    [0, -1, kind("quantity")],
  ])("after %d of at most 5: %d", async (before, quantity, unusual) => {
    const organisation = await newOrganisation();
    if (before > 0) await pushed(organisation, [...times(before - 1, { quantity: 1 }), activity()]);
    expect((await pushed(organisation, [activity({ quantity })]))["unusual"]).toEqual(unusual);
  });

  test("only those of the 90 days before the push and of the same charge code are compared", async () => {
    const organisation = await newOrganisation();
    const edge = 90 * dayMs;
    await pushed(organisation, [
      ...times(19),
      activity({ activityTimestamp: ago(edge + 10 * minuteMs), quantity: 1_000 }),
      activity({ activityTimestamp: ago(-30 * minuteMs), quantity: 1_000 }),
      ...times(20, { chargeCode: "PACK", quantity: 1_000 }),
    ]);
    expect((await pushed(organisation, [activity({ quantity: 101 })]))["unusual"]).toBe(null);
    await pushed(organisation, [activity({ activityTimestamp: ago(edge - 10 * minuteMs), quantity: 1 })]);
    expect((await pushed(organisation, [activity({ quantity: 102 })]))["unusual"]).toBe(null); // 101 counts by now
  });

  test("the twentieth one at the edge of the 90 days counts", async () => {
    const organisation = await newOrganisation();
    await pushed(organisation, [...times(19), activity({ activityTimestamp: ago(90 * dayMs - 10 * minuteMs), quantity: 1 })]);
    expect((await pushed(organisation, [activity({ quantity: 101 })]))["unusual"]).toEqual(kind("quantity"));
  });

  test("a reversed one is not compared with, and a corrected row is not compared with the row that it replaces", async () => {
    const organisation = await newOrganisation();
    await pushed(organisation, times(20));
    const large = await pushed(organisation, [activity({ quantity: 3_000 }), activity({ quantity: 3_000 })]);
    expect(large["unusual"]).toEqual(kind("quantity", 2));
    await json(await organisation.post(`${base.activities}/${large["importId"]}/reversals`, { rows: [1], reason: "A mistake" }), 200);
    const rows = [{ row: 2, values: { quantity: "2000" } }];
    const correction = await json(
      await organisation.post(`${base.activities}/${large["importId"]}/corrections`, { rows, reason: "A mistake" }),
      202,
    );
    expect((await ended(organisation, "activities", correction["importId"]))["unusual"]).toEqual(kind("quantity"));
    expect((await pushed(organisation, [activity({ quantity: 40_000 })]))["unusual"]).toBe(null);
    expect((await pushed(organisation, [activity({ quantity: 800_001 })]))["unusual"]).toEqual(kind("quantity"));
  });
});

test("a time is unusual from more than 90 days before the push, and more than 24 hours after it", async () => {
  const organisation = await newOrganisation();
  const edges = [90 * dayMs - minuteMs, 90 * dayMs + minuteMs, -dayMs + minuteMs, -dayMs - 5 * minuteMs];
  const found = await pushed(
    organisation,
    edges.map((edge) => activity({ activityTimestamp: new Date(Date.now() - edge).toISOString() })),
  );
  expect(await unusualIn(organisation, found)).toEqual([
    { row: 2, kinds: ["time"] },
    { row: 4, kinds: ["time"] },
  ]);
});

describe("no customer", () => {
  const without = (count: number) => times(count, { customerId: undefined });
  test.each([
    [99, 0, null],
    [100, 5, kind("noCustomer")],
    [100, 6, null],
    [1_000, 50, kind("noCustomer")],
    [1_000, 51, null],
  ])("of the last %d activities, %d had none", async (rows, none, unusual) => {
    const organisation = await newOrganisation();
    if (rows === 1_000) await pushed(organisation, without(60)); // not among the last ones
    await pushed(organisation, [...times(rows - none), ...without(none)]);
    expect((await pushed(organisation, without(1)))["unusual"]).toEqual(unusual);
  });
});

describe("a repeated row", () => {
  test("of the same file, or an activity that counts; of a file only", async () => {
    const organisation = await newOrganisation();
    const rows = times(4);
    const first = await pushed(organisation, rows);
    const [one, two, three, four] = rows as [Json, Json, Json, Json];
    const fresh = activity();
    const sameInstant = new Date(Date.parse(String(two["activityTimestamp"])) + 10 * 60 * minuteMs).toISOString().replace("Z", "+10:00");
    const file = [
      one,
      { ...two, activityTimestamp: sameInstant },
      { ...three, reference: "another" },
      fresh,
      activity(),
      fresh,
      { ...four, quantity: 6 },
      { ...four, customerId: undefined },
      { ...four, status: "x" },
    ];
    const found = await uploaded(organisation, file);
    expect(found["unusual"]).toEqual(kind("repeated", 5));
    const importId = first["importId"];
    const expected = [
      { row: 2, kinds: ["repeated"], sameAs: { importId, row: 1 } },
      { row: 3, kinds: ["repeated"], sameAs: { importId, row: 2 } },
      { row: 5, kinds: ["repeated"] },
      { row: 7, kinds: ["repeated"] },
      { row: 10, kinds: ["repeated"], sameAs: { importId, row: 4 } },
    ];
    expect(await unusualIn(organisation, found)).toEqual(expected);
    const page = await json(await organisation.get(`${base.activities}/${found["importId"]}/unusual?limit=3`), 200);
    const rest = await unusualIn(organisation, found, `?limit=3&cursor=${page["nextCursor"]}`);
    expect([...(page["items"] as Json[]), ...(rest as Json[])]).toEqual(expected);
    expect((await pushed(organisation, rows))["unusual"]).toBe(null);
  });

  test("what is reversed or replaced is not repeated", async () => {
    const organisation = await newOrganisation();
    const rows = times(3);
    const first = await pushed(organisation, rows);
    await json(await organisation.post(`${base.activities}/${first["importId"]}/reversals`, { rows: [1], reason: "A mistake" }), 200);
    const second = await uploaded(organisation, rows.slice(0, 2));
    expect(await unusualIn(organisation, second)).toEqual([
      { row: 3, kinds: ["repeated"], sameAs: { importId: first["importId"], row: 2 } },
    ]);
    for (const { importId } of [first, second])
      await json(await organisation.post(`${base.activities}/${importId}/reversals`, { all: true, reason: "A mistake" }), 200);
    expect((await uploaded(organisation, rows))["unusual"]).toBe(null);
  });
});

test("kinds can be switched off, the ledger lists unusual rows, and shipments have none", async () => {
  const off = (file: object) => Object.assign(file, { unusual: { off: ["quantity", "repeated"] } });
  const organisation = await stage.service.organisation(off);
  const found = await uploaded(organisation, [activity({ quantity: -1 }), activity(), activity({ activityTimestamp: ago(91 * dayMs) })]);
  expect(found["unusual"]).toEqual(kind("time"));
  const listed = async (query: string) =>
    ((await json(await organisation.get(`/v1/org/ledger/activities?unusual=only${query}`), 200))["items"] as Json[]).map(({ row }) => row);
  expect(await listed("")).toEqual([4]);
  expect(await listed("&chargeCode=PACK")).toEqual([]);
  const reversal = { rows: [4], reason: "A mistake" };
  await json(await organisation.post(`${base.activities}/${found["importId"]}/reversals`, reversal), 200);
  expect(await listed("")).toEqual([]);
  expect(await listed("&reversed=only")).toEqual([4]);
  const { items } = await json(await organisation.get(base.activities), 200);
  expect((items as Json[])[0]?.["unusual"]).toEqual(kind("time"));
});

test("the portal marks the import, and leads to its unusual rows with what is unusual about each", async () => {
  const organisation = await newOrganisation();
  const rows = times(101);
  const first = await pushed(organisation, rows);
  const found = await uploaded(organisation, [...rows.slice(0, 1), activity({ chargeCode: "PIKC" }), activity()]);
  const viewer = await signedIn(stage.service, await addMember(stage.service, organisation.id, "viewer"));
  const page = async (path: string) => (await (await viewer.get(path)).text()).replaceAll("&#39;", "'");
  const address = `/portal/activities?import=${found["importId"]}&amp;unusual=yes`;
  const importPage = await page(`/portal/imports/${found["importId"]}`);
  expect(importPage).toContain(`<a href="${address}">Look at 2 unusual rows</a>`);
  expect(importPage).toContain("a new code (1), recorded twice (1)");
  expect(await page(`/portal/imports/${first["importId"]}`)).not.toContain("Unusual");
  expect((await page("/portal/imports")).match(/>Unusual</g)).toHaveLength(1);
  const list = await page(address.replace("&amp;", "&"));
  expect(list).toContain("a new code; did you mean PICK?");
  expect(list).toMatch(new RegExp(`recorded twice; see <a href="/portal/activities/${first["importId"]}/1">row 1</a>`));
  expect(list.match(/row-history/g)).toHaveLength(2);
});

test("a rebuild shows the same", expectTruth);
