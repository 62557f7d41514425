// Reversals over the API, through the real stores, with a worker and a projector.
import { describe, expect, test } from "vitest";
import { streamOf } from "../../../src/events/streams.js";
import { until } from "../../support/processes.js";
import { projectLog } from "../../support/projectLog.js";
import type { TestOrganisation } from "../../support/service.js";
import { bad, base, correct, ended, fixed, good, type Json, json, states, uploadedShipments, useCorrections } from "./corrections/stage.js";

const stage = useCorrections();
const { newOrganisation, withoutWorker, compareOverviews } = stage;

type Kind = keyof typeof base;

/** The answer does not wait long for the tables, but what a test reads afterwards does. */
async function reverse(organisation: TestOrganisation, kind: Kind, importId: unknown, body: Json): Promise<Response> {
  const answer = await organisation.post(`${base[kind]}/${importId}/reversals`, { reason: "sent twice", ...body });
  await projectLog(stage.service);
  return answer;
}

async function push(organisation: TestOrganisation, activities: readonly Json[]): Promise<string> {
  const { importId } = await json(await organisation.post("/v1/org/fulfilment/activities", { activities }), 202);
  await ended(organisation, "activities", importId);
  return String(importId);
}

const some = (count: number, change: Json = {}) =>
  Array.from({ length: count }, (_, index) => ({ ...good, reference: `r${index + 1}`, ...change }));
const ledger = async (organisation: TestOrganisation, query = ""): Promise<Json[]> =>
  (await json(await organisation.get(`/v1/org/ledger/activities?limit=500${query}`), 200))["items"] as Json[];
const totals = async (organisation: TestOrganisation, query = "") =>
  (await json(await organisation.get(`/v1/org/ledger/activities/totals?${query}`), 200))["total"] as Json;
const shownAs = async (organisation: TestOrganisation, kind: Kind, importId: unknown) =>
  (await json(await organisation.get(`${base[kind]}/${importId}`), 200))["reversed"];
const nothing = { alreadyReversed: 0, superseded: 0, reopened: 0, withdrawn: 0, corrections: [] };

describe("activities", () => {
  test("reversed by their rows leave the ledger and the totals, and are listed when they are asked for", async () => {
    const organisation = await newOrganisation();
    const importId = await push(organisation, some(5));
    expect(await shownAs(organisation, "activities", importId)).toBeNull();
    const preview = await json(await reverse(organisation, "activities", importId, { rows: [2, 4, 2], preview: true }), 200);
    expect(preview).toEqual({ reversalId: null, importId, reversed: 2, ...nothing });
    expect(await totals(organisation)).toEqual({ quantity: "5", rows: 5 });
    const answer = await json(await reverse(organisation, "activities", importId, { rows: [2, 4, 2] }), 200);
    expect(answer).toEqual({ ...preview, reversalId: expect.any(String) });
    expect((await ledger(organisation)).map(({ row }) => row)).toEqual([1, 3, 5]);
    expect(await totals(organisation)).toEqual({ quantity: "3", rows: 3 });
    const only = await ledger(organisation, "&reversed=only");
    expect(only.map(({ row, reversed }) => [row, reversed])).toEqual(
      [2, 4].map((row) => [row, { at: expect.stringMatching(/Z$/), reason: "sent twice", reversalId: answer["reversalId"] }]),
    );
    expect((await ledger(organisation, `&reversed=include&importId=${importId}`)).map(({ row }) => row)).toEqual([1, 2, 3, 4, 5]);
    expect(await shownAs(organisation, "activities", importId)).toEqual({ rows: 2, all: false, at: expect.stringMatching(/Z$/) });
    const again = await json(await reverse(organisation, "activities", importId, { rows: [2, 5] }), 200);
    expect(again).toMatchObject({ reversed: 1, alreadyReversed: 1 });
    const rest = await json(await reverse(organisation, "activities", importId, { all: true }), 200);
    expect(rest).toMatchObject({ reversed: 2, alreadyReversed: 3 });
    expect(await shownAs(organisation, "activities", importId)).toMatchObject({ rows: 5, all: true });
    const left = await json(await reverse(organisation, "activities", importId, { all: true }), 200);
    expect(left).toEqual({ reversalId: null, importId, reversed: 0, ...nothing, alreadyReversed: 5 });
    expect(await ledger(organisation)).toEqual([]);
    expect(await totals(organisation)).toEqual({ quantity: "0", rows: 0 });
    const { items } = await json(await organisation.get(`${base.activities}/${importId}/reversals`), 200);
    expect((items as Json[]).map(({ count, all, rows }) => [count, all, rows])).toEqual([
      [
        2,
        false,
        [
          [2, 2],
          [4, 4],
        ],
      ],
      [1, false, [[5, 5]]],
      [2, true, null],
    ]);
    const listed = await json(await organisation.get(base.activities), 200);
    expect((listed["items"] as Json[])[0]).toMatchObject({ status: "completed", reversed: { rows: 5, all: true } });
  });

  test("that the import never accepted are named, and nothing is reversed", async () => {
    const organisation = await newOrganisation();
    const importId = await push(organisation, [...some(2), bad("x")]);
    const { message } = await json(await reverse(organisation, "activities", importId, { rows: [1, 3, 7] }), 422);
    expect(message).toBe("Row 3 is not an accepted row of this import. Row 7 is not an accepted row of this import");
    expect(await totals(organisation)).toEqual({ quantity: "2", rows: 2 });
  });

  test("are reversed once, however many ask at the same time", async () => {
    const organisation = await newOrganisation();
    const importId = await push(organisation, some(12));
    const ask = [{ all: true }, { rows: [1, 2, 3, 4, 5, 6] }, { rows: [5, 6, 7, 8] }, { rows: [12] }];
    /** Under load 503 is a right answer, also to a call whose reversal was recorded. The caller asks again. */
    const answered = async (body: Json): Promise<Json> => {
      let answer: Response | undefined;
      await until("an answer that is not 503", async () => {
        answer = await reverse(organisation, "activities", importId, body);
        return answer.status !== 503;
      });
      return json(answer as Response, 200);
    };
    const bodies = await Promise.all(Array.from({ length: 20 }, (_, index) => answered(ask[index % ask.length] as Json)));
    const recorded = new Map<unknown, unknown>();
    for await (const { data } of stage.service.eventStore.read(streamOf.reversals(importId))) {
      const { reversalId, count } = data as Json;
      recorded.set(reversalId, count);
    }
    expect([...recorded.values()].reduce((sum: number, count) => sum + Number(count), 0)).toBe(12);
    const made = bodies.filter(({ reversalId }) => reversalId !== null);
    expect(new Set(made.map(({ reversalId }) => reversalId)).size).toBe(made.length);
    expect(bodies.map(({ reversed }) => reversed)).toEqual(
      bodies.map(({ reversalId }) => (reversalId === null ? 0 : recorded.get(reversalId))),
    );
    await until("nothing counts any more", async () => (await totals(organisation))["rows"] === 0);
  });
});

describe("a body", () => {
  test.each([
    ["neither all nor rows", {}],
    ["both", { all: true, rows: [1] }],
    ["no row", { rows: [] }],
    ["row 0", { rows: [0] }],
    ["a text for a row", { rows: ["1"] }],
    ["all as false", { all: false }],
    ["an empty reason", { all: true, reason: "" }],
    ["a blank reason", { all: true, reason: "  " }],
    ["a reason of 501 characters", { all: true, reason: "x".repeat(501) }],
    ["no reason", { all: true, reason: undefined }],
    ["shipments for activities", { shipmentIds: ["A"] }],
    ["an unknown field", { all: true, force: true }],
    ["5,001 rows", { rows: Array.from({ length: 5_001 }, (_, index) => index + 1) }],
  ])("with %s is refused", async (_, body) => {
    const organisation = await newOrganisation();
    const importId = await push(organisation, some(1));
    await json(await reverse(organisation, "activities", importId, body as Json), 400);
    expect(await shownAs(organisation, "activities", importId)).toBeNull();
  });

  test("may have 5,000 rows and a reason of 500 characters", async () => {
    const organisation = await newOrganisation();
    const importId = await push(organisation, some(5_001));
    const rows = Array.from({ length: 5_000 }, (_, index) => index + 1);
    const answer = await json(await reverse(organisation, "activities", importId, { rows, reason: "é".repeat(500) }), 200);
    expect(answer).toMatchObject({ reversed: 5_000 });
    await until("one row is left", async () => (await totals(organisation))["rows"] === 1);
  });
});

describe("an import", () => {
  test("that has not completed is a conflict, and one of another kind or organisation is not there", async () => {
    const organisation = await newOrganisation();
    await withoutWorker(async () => {
      const { importId } = await json(await organisation.post("/v1/org/fulfilment/activities", { activities: some(1) }), 202);
      const waits = await json(await reverse(organisation, "activities", importId, { all: true }), 409);
      expect(waits["message"]).toMatch(/is queued: its rows can be reversed once it has completed/);
      await json(await organisation.post(`${base.activities}/${importId}/cancel`, {}), 200);
      const cancelled = await json(await reverse(organisation, "activities", importId, { all: true }), 409);
      expect(cancelled["message"]).toMatch(/is cancelled: it has written nothing/);
    });
    const importId = await push(organisation, some(1));
    await json(await reverse(organisation, "shipments", importId, { all: true }), 404);
    const other = await newOrganisation();
    await json(await reverse(other, "activities", importId, { all: true }), 404);
    await json(await other.get(`${base.activities}/${importId}/reversals`), 404);
  });

  test("whose rows a correction is about to correct is a conflict that names that import", async () => {
    const organisation = await newOrganisation();
    const importId = await push(organisation, [...some(1), bad("x")]);
    await withoutWorker(async () => {
      const { importId: correction } = await json(await correct(organisation, "activities", importId, [fixed(2)]), 202);
      const { message } = await json(await reverse(organisation, "activities", importId, { all: true }), 409);
      expect(message).toBe(`Import ${correction} is about to correct row 2 of this import: wait until it has ended, or cancel it`);
      await json(await reverse(organisation, "activities", importId, { rows: [1] }), 200);
    });
  });
});

describe("corrections", () => {
  test("are named, and reversed only if they are included", async () => {
    const organisation = await newOrganisation();
    const importId = await push(organisation, [...some(2), bad("x"), bad("y"), bad("z")]);
    const { importId: correction } = await json(await correct(organisation, "activities", importId, [fixed(4), fixed(3)]), 202);
    await ended(organisation, "activities", correction);
    const preview = await json(await reverse(organisation, "activities", importId, { all: true, preview: true }), 200);
    expect(preview).toEqual({
      ...{ reversalId: null, importId, reversed: 2, ...nothing, withdrawn: 1 },
      corrections: [{ importId: correction, rows: [3, 4] }],
    });
    const first = await json(await reverse(organisation, "activities", importId, { all: true }), 200);
    expect(first).toEqual({ ...preview, reversalId: expect.any(String) });
    await until("the corrections still count", async () => (await totals(organisation))["rows"] === 2);
    const second = await json(await reverse(organisation, "activities", importId, { all: true, includeCorrections: true }), 200);
    expect(second).toMatchObject({ reversed: 0, alreadyReversed: 2, corrections: [{ importId: correction, rows: [3, 4] }] });
    await until("nothing counts", async () => (await totals(organisation))["rows"] === 0);
    expect(await shownAs(organisation, "activities", correction)).toMatchObject({ rows: 2, all: true });
    for await (const { data } of stage.service.eventStore.read(streamOf.reversals(String(correction))))
      expect(data).toMatchObject({ count: 2, includedIn: { importId, reversalId: first["reversalId"] } });
  });

  test("that are included leave no row of the import open, also if its accepted rows were reversed before", async () => {
    const organisation = await newOrganisation();
    const importId = await push(organisation, [...some(1), bad("x")]);
    const { importId: correction } = await json(await correct(organisation, "activities", importId, [fixed(2)]), 202);
    await ended(organisation, "activities", correction);
    await json(await reverse(organisation, "activities", importId, { rows: [1] }), 200);
    const answer = await json(await reverse(organisation, "activities", importId, { all: true, includeCorrections: true }), 200);
    expect(answer).toMatchObject({ reversalId: expect.any(String), reversed: 0, alreadyReversed: 1, reopened: 0 });
    expect(answer["corrections"]).toEqual([{ importId: correction, rows: [2] }]);
    await until("the row is withdrawn", async () => (await states(organisation, "activities", importId))["2"] === "withdrawn");
    expect(await totals(organisation)).toEqual({ quantity: "0", rows: 0 });
  });

  test("are not looked for by a reference: a rejected activity is withdrawn also if a shipment has its reference as id", async () => {
    const organisation = await newOrganisation();
    const importId = await push(organisation, [bad("A")]);
    await uploadedShipments(organisation, [["A", ""]]);
    expect(await json(await reverse(organisation, "activities", importId, { all: true }), 200)).toMatchObject({
      reversed: 0,
      withdrawn: 1,
    });
    await until("the row is withdrawn", async () => (await states(organisation, "activities", importId))["1"] === "withdrawn");
  });

  test("that are reversed open the rejected rows again, which can be corrected once more", async () => {
    const organisation = await newOrganisation();
    const importId = await push(organisation, [bad("x"), bad("y")]);
    const { importId: correction } = await json(await correct(organisation, "activities", importId, [fixed(1), fixed(2)]), 202);
    await ended(organisation, "activities", correction);
    const answer = await json(await reverse(organisation, "activities", correction, { rows: [2] }), 200);
    expect(answer).toMatchObject({ reversed: 1, reopened: 1 });
    await until("the row is open", async () => (await states(organisation, "activities", importId))["2"] === "open");
    const { importId: again } = await json(await correct(organisation, "activities", importId, [fixed(2)]), 202);
    await ended(organisation, "activities", again);
    expect(await states(organisation, "activities", importId)).toEqual({ 1: "corrected", 2: "corrected" });
    expect(await totals(organisation)).toEqual({ quantity: "2", rows: 2 });
  });
});

describe("shipments", () => {
  const shown = async (organisation: TestOrganisation) =>
    ((await json(await organisation.get("/v1/org/ledger/shipments"), 200))["items"] as Json[]).map(({ shipmentId, importId }) => [
      shipmentId,
      importId,
    ]);

  test("show the version pushed last among those that are not reversed", async () => {
    const organisation = await newOrganisation();
    const one = await uploadedShipments(organisation, [
      ["A", ""],
      ["B", ""],
    ]);
    const two = await uploadedShipments(organisation, [
      ["A", ""],
      ["A", ""],
      ["C", ""],
    ]);
    const three = await uploadedShipments(organisation, [["A", ""]]);
    const hidden = await json(await reverse(organisation, "shipments", two, { shipmentIds: ["A"] }), 200);
    expect(hidden).toMatchObject({ reversed: 1, superseded: 1 });
    const all = await json(await reverse(organisation, "shipments", three, { all: true }), 200);
    expect(all).toMatchObject({ reversed: 1, superseded: 0 });
    await until(
      "the first version is back",
      async () =>
        JSON.stringify(await shown(organisation)) ===
        JSON.stringify([
          ["A", one],
          ["B", one],
          ["C", two],
        ]),
    );
    await json(await reverse(organisation, "shipments", one, { shipmentIds: ["A", "A"] }), 200);
    await until("none is left", async () => (await shown(organisation)).length === 2);
    await json(await organisation.get("/v1/org/ledger/shipments/A"), 404);
    expect(await shownAs(organisation, "shipments", two)).toMatchObject({ rows: 1, all: false });
    const { message } = await json(await reverse(organisation, "shipments", one, { shipmentIds: ["C"] }), 422);
    expect(message).toBe("Shipment C was not written by this import");
    await json(await reverse(organisation, "shipments", one, { rows: [2] }), 400);
  });
});

describe("totals", () => {
  test("as of a time, and what changed since, agree", async () => {
    const organisation = await newOrganisation();
    const first = await push(organisation, some(3, { quantity: 1.25 }));
    const { finishedAt } = await json(await organisation.get(`${base.activities}/${first}`), 200);
    const second = await push(organisation, some(2, { chargeCode: "PACK" }));
    const { reversalId } = await json(await reverse(organisation, "activities", first, { rows: [1] }), 200);
    await until("the reversal shows", async () => (await totals(organisation))["rows"] === 4);
    expect(await totals(organisation, `asOf=${finishedAt}`)).toEqual({ quantity: "3.75", rows: 3 });
    expect(await totals(organisation)).toEqual({ quantity: "4.5", rows: 4 });
    const changes = await json(await organisation.get(`/v1/org/ledger/activities/totals/changes?since=${finishedAt}`), 200);
    expect(changes["items"]).toEqual([
      expect.objectContaining({
        importId: second,
        reversalId: null,
        amounts: [{ customerId: null, chargeCode: "PACK", quantity: "2", rows: 2 }],
      }),
      expect.objectContaining({
        importId: first,
        reversalId,
        reason: "sent twice",
        amounts: [{ customerId: null, chargeCode: "PICK", quantity: "-1.25", rows: -1 }],
      }),
    ]);
    await json(await organisation.get("/v1/org/ledger/activities/totals/changes"), 400);
    await json(await organisation.get("/v1/org/ledger/activities/totals/changes?since=yesterday"), 400);
    await json(await organisation.get("/v1/org/ledger/activities?reversed=yes"), 400);
  });
});

test("lists and counts of rejected rows agree after all of this", async () => {
  await compareOverviews();
});
