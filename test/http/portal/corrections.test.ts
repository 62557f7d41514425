// What the page of rejected rows asks of the server: judged as the importer judges, bounded, once.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { streamOf } from "../../../src/events/streams.js";
import { append, tell } from "../../support/importStory.js";
import { addMember, formToken, signedIn, type Visitor } from "../../support/portal/portal.js";
import { until } from "../../support/processes.js";
import { type Role, startProjector, startWorker } from "../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

let service: TestService;
let roles: Role[] = [];
let organisation: TestOrganisation;
let who: Visitor;
let token: string;
beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  who = await signedIn(service, await addMember(service, organisation.id, "operator"));
  token = await formToken(who);
  roles = [startWorker(service), startProjector(service)];
});
afterAll(async () => {
  await Promise.all(roles.map((role) => role.stop()));
  await service?.close();
});

type Json = Record<string, unknown>;

const ask = (path: string, body: unknown, visitor = who, formTokenOf = token) => askWith(path, JSON.stringify(body), visitor, formTokenOf);

async function askWith(path: string, body: string, visitor = who, formTokenOf = token, type = "application/json") {
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { cookie, origin: service.url, "x-form-token": formTokenOf, "content-type": type };
  const answer = await fetch(`${service.url}/portal/corrections/${path}`, { method: "POST", headers, body });
  return { status: answer.status, body: (await answer.json()) as Json };
}

async function completed(importId: string): Promise<void> {
  await until("the import is projected", async () => {
    const { rowCount } = await service.pool.query("select from imports where import_id = $1 and status = 'completed'", [importId]);
    return rowCount === 1;
  });
}

const activity = {
  warehouseCode: "SYD1",
  chargeCode: "PICK",
  quantity: 1,
  activityTimestamp: "2026-03-01T09:30:00Z",
  customerId: "CUST-999",
};

async function rejected(count: number): Promise<string> {
  const activities = Array.from({ length: count }, (_, index) => ({ ...activity, reference: `R-${index + 1}` }));
  const answer = await organisation.post("/v1/org/fulfilment/activities", { activities });
  const { importId } = (await answer.json()) as { importId: string };
  await completed(importId);
  return importId;
}

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

  test("whatever its values are", async () => {
    const importId = await rejected(values.length);
    const rows = values.map((each, index) => ({ row: index + 1, values: each }));
    const judged = await ask("judge", { importId, rows });
    const verdicts = new Map(
      (judged.body["verdicts"] as { row: number; verdict: { reason: string } | null }[]).map((each) => [each.row, each.verdict]),
    );
    const sent = await ask("submit", { importId, key: randomUUID(), rows });
    expect(sent.status).toBe(202);
    await completed(String(sent.body["importId"]));
    const { rows: errors } = await service.pool.query<{ row: number; error: string }>(
      `select "row", error from rejections where import_position = (select position from imports where import_id = $1)`,
      [sent.body["importId"]],
    );
    const byRow = new Map(errors.map(({ row, error }) => [row, error]));
    expect(errors.length).toBeGreaterThan(6);
    for (const { row } of rows) expect([row, verdicts.get(row)?.reason]).toEqual([row, byRow.get(row)]);
  });

  test("a value that was cut short has to be replaced, and says so", async () => {
    const importId = await rejected(1);
    await service.pool.query(
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

describe("what is sent is bounded", () => {
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

  test("a body that is too large, names a row twice or no import is refused in words", async () => {
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

test("a submission that is sent again makes no second import; another one is told who has the rows, and by which import", async () => {
  const importId = await rejected(2);
  const key = randomUUID();
  const rows = [1, 2].map((row) => ({ row, values: { customerId: "" } }));
  const first = await ask("submit", { importId, key, rows });
  const again = await ask("submit", { importId, key, rows });
  expect([first.status, again.status, again.body]).toEqual([202, 202, first.body]);
  const second = await signedIn(service, await addMember(service, organisation.id, "admin"));
  const other = await ask("submit", { importId, key: randomUUID(), rows: rows.slice(1) }, second, await formToken(second));
  expect(other).toMatchObject({
    status: 409,
    body: { closed: [{ row: 2, state: "submitted", otherId: first.body["importId"], by: "The operator" }] },
  });
  expect(await ask("rows/dismiss", { importId, rows: [1] })).toMatchObject({ status: 409, body: { closed: [{ row: 1 }] } });
});

test("rows come page by page with their verdict of today; the page's lists are the organisation's own", async () => {
  const fresh = await service.organisation();
  const viewer = await signedIn(service, await addMember(service, fresh.id, "viewer"));
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
    with: 1,
    faulty: ["customerId"],
    today: { reason: "Customer not found", faulty: ["customerId"] },
  });
  const second = await list(`?cursor=${first.next}`);
  expect([second.rows.length, second.rows[0]?.["row"], second.next]).toEqual([50, 251, null]);
  expect((await viewer.get(`/portal/corrections?import=${importId}`)).status).toBe(200);
  expect((await who.get(`/portal/corrections?import=${importId}`)).status).toBe(404);
  expect((await who.get("/portal/corrections?import=x&reason=y&state=z&kind=q")).status).toBe(404);
  expect((await who.get("/portal/corrections?reason=y&state=z&kind=q")).status).toBe(200);
});

describe("a request that does not fit", () => {
  const asks = ["judge", "submit", "rows/dismiss", "rows/reopen", "states"] as const;
  /** A body of the right shape for each of them. */
  const bodyOf = (path: (typeof asks)[number], importId: string, row = 1): Json => {
    if (path === "states") return { rows: [{ importId, row }] };
    if (path.startsWith("rows/")) return { importId, rows: [row] };
    return { importId, rows: [{ row, values: { customerId: "" } }], ...(path === "submit" ? { key: randomUUID() } : {}) };
  };

  test("is refused with a reason, whatever it holds", async () => {
    const importId = await rejected(1);
    const raw = [
      "",
      "null",
      "[]",
      '"x"',
      "1",
      "{",
      "{}",
      `{"rows":{}}`,
      "[".repeat(5_000),
      `{"importId":${"[".repeat(2_000)}${"]".repeat(2_000)}}`,
    ];
    for (const path of asks) {
      for (const body of raw) expect([path, body.slice(0, 20), (await askWith(path, body)).status]).toEqual([path, body.slice(0, 20), 400]);
      expect((await askWith(path, "{}", who, token, "text/plain")).status).toBe(415);
      expect((await ask(path, bodyOf(path, importId), who, "another token")).status).toBe(403);
      for (const row of [0, -1, 1.5, "1", null, 2_147_483_648, 1e300])
        expect((await ask(path, bodyOf(path, importId, row as number))).status, `${path} of row ${row}`).toBe(400);
    }
    const valued = (values: unknown) => ({ importId, rows: [{ row: 1, values }] });
    for (const values of [null, [], "x", { customerId: 1 }, { customerId: null }, { customerId: "a\0b" }, { customerId: "\ud800" }])
      for (const path of ["judge", "submit"] as const)
        expect((await ask(path, { ...valued(values), ...(path === "submit" ? { key: randomUUID() } : {}) })).status).toBe(400);
    const unknown = await ask("judge", valued({ constructor: "x", customerId: "" }));
    expect(unknown.body["verdicts"]).toMatchObject([{ verdict: { reason: expect.stringContaining("constructor is not a column") } }]);
    expect((await ask("submit", { ...valued({ toString: "x" }), key: randomUUID() })).status).toBe(400);
    expect((await ask("submit", { ...valued({}), key: "one" })).status).toBe(400);
    expect((await ask("rows/dismiss", { importId, rows: [1, 1] })).body["message"]).toEqual(["rows must name each row once"]);
    for (const note of ["a\0b", "\ud800"]) expect((await ask("rows/dismiss", { importId, rows: [1], note })).status).toBe(400);
    // Nothing of all that has touched the row.
    expect((await ask("states", bodyOf("states", importId))).body["rows"]).toMatchObject([{ row: 1, state: "open" }]);
  });

  test("for another organisation's rows shows none of them and changes none", async () => {
    const importId = await rejected(1);
    const stranger = await signedIn(service, await addMember(service, (await service.organisation()).id, "admin"));
    const theirs = await formToken(stranger);
    for (const path of asks) {
      const { status, body } = await ask(path, bodyOf(path, importId), stranger, theirs);
      expect([path, status, body["rows"]]).toEqual(path === "states" ? [path, 200, []] : [path, 404, undefined]);
    }
    for (const form of ["dismiss", "reopen"]) {
      const answer = await stranger.post(`/portal/corrections/${form}`, { token: theirs, rows: `${importId}:1` });
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("There is no import with this id")]);
    }
    expect((await ask("states", bodyOf("states", importId))).body["rows"]).toMatchObject([{ row: 1, state: "open" }]);
  });

  test("with the key of another submission is refused, and rows of an import that was cancelled stay as they are", async () => {
    const importId = await rejected(2);
    const key = randomUUID();
    expect((await ask("submit", { importId, key, rows: [{ row: 1, values: { customerId: "" } }] })).status).toBe(202);
    expect((await ask("submit", { importId, key, rows: [{ row: 1, values: { customerId: "CUST-001" } }] })).status).toBe(422);
    expect((await ask("submit", { importId, key, rows: [{ row: 2, values: { customerId: "" } }] })).status).toBe(422);
    const cancelled = tell({ organisationId: organisation.id, kind: "activities", end: "cancelled", rows: [{ reject: "no" }] });
    await append(service.eventStore, cancelled);
    await until("it is projected", async () => {
      const found = await service.pool.query("select from imports where import_id = $1 and status = 'cancelled'", [cancelled.importId]);
      return found.rowCount === 1;
    });
    for (const path of ["submit", "rows/dismiss", "rows/reopen"] as const)
      expect(await ask(path, bodyOf(path, cancelled.importId, 2))).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining("is cancelled") },
      });
    expect((await ask("judge", bodyOf("judge", cancelled.importId, 2))).status).toBeLessThan(500);
    expect((await ask("states", bodyOf("states", cancelled.importId, 2))).body["rows"]).toEqual([]);
    const page = await who.get(`/portal/corrections?import=${cancelled.importId}`);
    expect([page.status, (await page.text()).includes("No open rows")]).toEqual([200, expect.any(Boolean)]);
  });

  test("from the form without scripts is answered with what to choose, and a row that is named twice counts once", async () => {
    const importId = await rejected(2);
    const send = async (rows: string, form = "dismiss") => {
      const answer = await who.post(`/portal/corrections/${form}`, { token, rows });
      return { status: answer.status, text: await answer.text(), leads: answer.headers.get("location") };
    };
    for (const rows of ["", "x:1", importId, `${importId}:`, `${importId}:1.5`, `${importId}:0x1`, `${importId}:-1`, `${importId}:1e1`])
      expect(await send(rows), rows).toMatchObject({
        status: 400,
        text: expect.stringMatching(/does not name rows|Select at least one row/),
      });
    expect(await send(`${importId}:99`)).toMatchObject({ status: 409, text: expect.stringContaining("Row 99 is not a rejected row") });
    const many = Array.from({ length: 501 }, (_, n) => n + 1).join();
    expect(await send(`${importId}:${many}`)).toMatchObject({ status: 400, text: expect.stringContaining("Choose 1 to 500 rows") });
    expect((await send(`${importId}:${"1,".repeat(40_000)}1`)).status).toBe(413);
    expect(await send(`${importId}:1,1`)).toMatchObject({ status: 303 });
    expect(await (await who.get("/portal/corrections")).text()).toContain("1 row is dismissed.");
    expect((await service.eventStore.last(streamOf.corrections(importId)))?.data).toMatchObject({ rows: [1] });
  });

  test("as a filter or a cursor gets the open rows, or a bad request", async () => {
    const importId = await rejected(300);
    const list = async (query: string) => {
      const answer = await who.get(`/portal/corrections/rows?${query}`, { accept: "application/json" });
      const body = answer.status === 200 ? await answer.json() : undefined;
      return { status: answer.status, ...{ body: body as { rows: { row: number }[]; next: string | null } } };
    };
    const { body: first } = await list(`import=${importId}`);
    expect(first.rows).toHaveLength(250);
    const cursor = encodeURIComponent(first.next ?? "");
    expect((await list(`import=${importId}&cursor=${cursor}`)).body.rows).toHaveLength(50);
    for (const other of ["state=dismissed", "state=submitted", `reason=${"0".repeat(32)}`])
      expect((await list(`import=${importId}&${other}&cursor=${cursor}`)).status, other).toBe(400);
    for (const bad of ["x", "%00", "a".repeat(5_000), `${cursor}x`])
      expect((await list(`import=${importId}&cursor=${bad}`)).status).toBe(400);
    for (const state of ["corrected", "superseded", "OPEN", "", "open&state=dismissed"])
      expect((await list(`import=${importId}&state=${state}`)).body.rows, state).toHaveLength(250);
    expect((await list(`import=${importId}&state=%00`)).status).toBe(400);
    expect((await list(`import=${importId}&state=dismissed`)).body).toMatchObject({ rows: [], next: null });
    const api = async (query: string) => organisation.get(`/v1/org/fulfilment/imports/${importId}/errors?${query}`);
    for (const bad of ["state=OPEN", "state=", "state=closed", "state=open&limit=0", "state=open&limit=501", "state=open&cursor=x"])
      expect((await api(bad)).status, bad).toBe(400);
    const { nextCursor } = (await (await api("state=open&limit=100")).json()) as { nextCursor: string };
    for (const other of ["state=dismissed", "limit=100"]) expect((await api(`${other}&cursor=${nextCursor}`)).status, other).toBe(400);
    const open: number[] = [];
    for (let next: string | null = ""; next !== null; ) {
      const page = (await (await api(`state=open&limit=100${next === "" ? "" : `&cursor=${next}`}`)).json()) as {
        items: { row: number }[];
        nextCursor: string | null;
      };
      open.push(...page.items.map(({ row }) => row));
      next = page.nextCursor;
    }
    expect(open).toEqual(Array.from({ length: 300 }, (_, n) => n + 1));
  });
});
