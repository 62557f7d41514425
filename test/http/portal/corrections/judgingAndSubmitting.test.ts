// Requests of the page of rejected rows: rows are checked as the importer checks them, bodies are bounded, and a submission is made once.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { addMember, formToken, signedIn } from "../../../support/portal/portal.js";
import { activity, type Json, useRejectedRows } from "./stage.js";

const stage = useRejectedRows();
const { ask, completed, rejected } = stage;

describe("a row is judged as the importer will judge it", () => {
  const values: Record<string, string>[] = [
    { customerId: "CUST-001" },
    { customerId: "" },
    { customerId: " CUST-001 " },
    { customerId: "CUST-002x" },
    { customerId: "", quantity: "0" },
    { customerId: "", quantity: " 1,5" },
    { customerId: "", quantity: "-2.50" },
    { customerId: "", quantity: "1e3" },
    { customerId: "", activityTimestamp: "30/02/2026" },
    { customerId: "", activityTimestamp: "2026-02-30" },
    { customerId: "", activityTimestamp: "2026-10-06T09:30:00+10:00" },
    { customerId: "", reference: 'quotes " and, commas\nand lines' },
    { customerId: "", reference: "=1+1" },
    { customerId: "", status: "x".repeat(1_000) },
    { customerId: "", warehouseCode: "x".repeat(201) },
    { customerId: "", warehouseCode: " " },
    { customerId: "", chargeCode: "\u00e9\u{1f69a}" },
  ];

  test("for many kinds of values", async () => {
    const importId = await rejected(values.length);
    const rows = values.map((each, index) => ({ row: index + 1, values: each }));
    const judged = await ask("judge", { importId, rows });
    const verdicts = new Map(
      (judged.body["verdicts"] as { row: number; verdict: { reason: string } | null }[]).map((each) => [each.row, each.verdict]),
    );
    const sent = await ask("submit", { importId, key: randomUUID(), rows });
    expect(sent.status).toBe(202);
    await completed(String(sent.body["importId"]));
    const { rows: errors } = await stage.service.pool.query<{ row: number; error: string }>(
      `select "row", error from rejections where import_position = (select position from imports where import_id = $1)`,
      [sent.body["importId"]],
    );
    const byRow = new Map(errors.map(({ row, error }) => [row, error]));
    expect(errors.length).toBeGreaterThan(6);
    // People are also told how to write a date; the event has the reason alone.
    const reasonOf = (row: number) => verdicts.get(row)?.reason.replace(/: write it as [^;]*/, "");
    for (const { row } of rows) expect([row, reasonOf(row)]).toEqual([row, byRow.get(row)]);
  });

  test("a value that was cut short must be replaced, and the verdict says so", async () => {
    const importId = await rejected(1);
    await stage.service.pool.query(
      `update rejections set data = jsonb_set(data::jsonb, '{status}', '"long... [cut short]"')::json
        where import_position = (select position from imports where import_id = $1)`,
      [importId],
    );
    const { body } = await ask("judge", { importId, rows: [{ row: 1, values: { customerId: "" } }] });
    expect(body["verdicts"]).toMatchObject([{ verdict: { reason: expect.stringContaining("not kept whole"), faulty: ["status"] } }]);
    const replaced = await ask("judge", { importId, rows: [{ row: 1, values: { customerId: "", status: "short" } }] });
    expect(replaced.body["verdicts"]).toEqual([{ row: 1, verdict: null }]);
  });
});

describe("a request is bounded:", () => {
  const many = (importId: string, count: number) => ({
    importId,
    rows: Array.from({ length: count }, (_, n) => ({ row: n + 1, values: {} })),
  });

  test.each([
    [499, 200],
    [500, 200],
    [501, 400],
  ])("%i rows to judge are answered %i", async (count, status) => {
    expect((await ask("judge", many(await rejected(1), count))).status).toBe(status);
  });

  test("a body that is too large, names a row twice or names no import is refused", async () => {
    const importId = await rejected(1);
    expect((await ask("judge", { importId, rows: [{ row: 1, values: { reference: "x".repeat(1_100_000) } }] })).status).toBe(413);
    const twice = { row: 1, values: {} };
    expect(await ask("judge", { importId, rows: [twice, twice] })).toMatchObject({
      status: 400,
      body: { message: ["rows must name each row once"] },
    });
    expect((await ask("judge", { importId: "x", rows: [twice] })).status).toBe(400);
    expect((await ask("judge", { importId: randomUUID(), rows: [twice] })).status).toBe(404);
    expect((await ask("rows/dismiss", { importId, rows: [] })).status).toBe(400);
    expect((await ask("rows/dismiss", { importId, rows: [1], note: "x".repeat(1_001) })).status).toBe(400);
    expect((await ask("states", { rows: [] })).status).toBe(400);
  });
});

test("a repeated submission makes no second import; another member's submission is told who submitted the rows, and the import", async () => {
  const importId = await rejected(2);
  const key = randomUUID();
  const rows = [1, 2].map((row) => ({ row, values: { customerId: "" } }));
  const first = await ask("submit", { importId, key, rows });
  const again = await ask("submit", { importId, key, rows });
  expect([first.status, again.status, again.body]).toEqual([202, 202, first.body]);
  const second = await signedIn(stage.service, await addMember(stage.service, stage.organisation.id, "admin"));
  const other = await ask("submit", { importId, key: randomUUID(), rows: rows.slice(1) }, second, await formToken(second));
  expect(other).toMatchObject({
    status: 409,
    body: { closed: [{ row: 2, state: "submitted", otherId: first.body["importId"], otherName: first.body["name"], by: "The operator" }] },
  });
  expect(await ask("rows/dismiss", { importId, rows: [1] })).toMatchObject({ status: 409, body: { closed: [{ row: 1 }] } });
});

test("rows come page by page with their present verdict; the page shows the organisation's own rows only", async () => {
  const fresh = await stage.service.organisation();
  const viewer = await signedIn(stage.service, await addMember(stage.service, fresh.id, "viewer"));
  const list = async (query = "") =>
    (await (await viewer.get(`/portal/corrections/rows${query}`, { accept: "application/json" })).json()) as {
      rows: Json[];
      next: string | null;
    };
  expect(await list()).toEqual({ rows: [], references: {}, next: null });
  const activities = Array.from({ length: 300 }, (_, n) => ({ ...activity, reference: `R-${n + 1}` }));
  const { importId } = (await (await fresh.post("/v1/org/fulfilment/activities", { activities })).json()) as { importId: string };
  await completed(importId);
  const first = await list();
  expect(first.rows).toHaveLength(250);
  expect(first.rows[0]).toMatchObject({
    row: 1,
    firstRow: 1,
    faulty: ["customerId"],
    verdictToday: { reason: "Customer not found", faulty: ["customerId"] },
  });
  const second = await list(`?cursor=${first.next}`);
  expect([second.rows.length, second.rows[0]?.["row"], second.next]).toEqual([50, 251, null]);
  expect((await viewer.get(`/portal/corrections?import=${importId}`)).status).toBe(200);
  expect((await stage.who.get(`/portal/corrections?import=${importId}`)).status).toBe(404);
  expect((await stage.who.get("/portal/corrections?import=x&reason=y&state=z&kind=q")).status).toBe(404);
  expect((await stage.who.get("/portal/corrections?reason=y&state=z&kind=q")).status).toBe(200);
});
