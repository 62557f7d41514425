// Requests that the page of rejected rows never sends, but another client may.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { streamOf } from "../../../../src/events/streams.js";
import { append, tell } from "../../../support/importStory.js";
import { addMember, formToken, signedIn } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { type Json, useRejectedRows } from "./stage.js";

const stage = useRejectedRows();
const { ask, askWith, rejected } = stage;

describe("an invalid request", () => {
  const asks = ["judge", "submit", "rows/dismiss", "rows/reopen", "states"] as const;
  /** A valid body for each path. */
  const bodyOf = (path: (typeof asks)[number], importId: string, row = 1): Json => {
    if (path === "states") return { rows: [{ importId, row }] };
    if (path.startsWith("rows/")) return { importId, rows: [row] };
    return { importId, rows: [{ row, values: { customerId: "" } }], ...(path === "submit" ? { key: randomUUID() } : {}) };
  };

  test("is refused, and changes nothing", async () => {
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
      expect((await askWith(path, "{}", stage.who, stage.token, "text/plain")).status).toBe(415);
      expect((await ask(path, bodyOf(path, importId), stage.who, "another token")).status).toBe(403);
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
    // None of these requests has changed the row.
    expect((await ask("states", bodyOf("states", importId))).body["rows"]).toMatchObject([{ row: 1, state: "open" }]);
  });

  test("for another organisation's rows shows none of them and changes none", async () => {
    const importId = await rejected(1);
    const stranger = await signedIn(stage.service, await addMember(stage.service, (await stage.service.organisation()).id, "admin"));
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

  test("with the key of another submission is refused, and so is a change of rows of a cancelled import", async () => {
    const importId = await rejected(2);
    const key = randomUUID();
    expect((await ask("submit", { importId, key, rows: [{ row: 1, values: { customerId: "" } }] })).status).toBe(202);
    expect((await ask("submit", { importId, key, rows: [{ row: 1, values: { customerId: "CUST-001" } }] })).status).toBe(422);
    expect((await ask("submit", { importId, key, rows: [{ row: 2, values: { customerId: "" } }] })).status).toBe(422);
    const cancelled = tell({ organisationId: stage.organisation.id, kind: "activities", end: "cancelled", rows: [{ reject: "no" }] });
    await append(stage.service.eventStore, cancelled);
    await until("it is projected", async () => {
      const found = await stage.service.pool.query("select from imports where import_id = $1 and status = 'cancelled'", [
        cancelled.importId,
      ]);
      return found.rowCount === 1;
    });
    for (const path of ["submit", "rows/dismiss", "rows/reopen"] as const)
      expect(await ask(path, bodyOf(path, cancelled.importId, 2))).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining("is cancelled") },
      });
    expect((await ask("judge", bodyOf("judge", cancelled.importId, 2))).status).toBeLessThan(500);
    expect((await ask("states", bodyOf("states", cancelled.importId, 2))).body["rows"]).toEqual([]);
    const page = await stage.who.get(`/portal/corrections?import=${cancelled.importId}`);
    expect([page.status, (await page.text()).includes("No open rows")]).toEqual([200, expect.any(Boolean)]);
  });

  test("from the form without scripts is answered with what to do, and a row named twice counts once", async () => {
    const importId = await rejected(2);
    const send = async (rows: string, form = "dismiss") => {
      const answer = await stage.who.post(`/portal/corrections/${form}`, { token: stage.token, rows });
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
    expect(await (await stage.who.get("/portal/corrections")).text()).toContain("1 row dismissed.");
    expect((await stage.service.eventStore.last(streamOf.corrections(importId)))?.data).toMatchObject({ rows: [1] });
  });

  test("with an unknown state lists the open rows, and with an invalid cursor is a 400", async () => {
    const importId = await rejected(300);
    const list = async (query: string) => {
      const answer = await stage.who.get(`/portal/corrections/rows?${query}`, { accept: "application/json" });
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
    for (const state of ["superseded", "OPEN", "", "open&state=dismissed"])
      expect((await list(`import=${importId}&state=${state}`)).body.rows, state).toHaveLength(250);
    expect((await list(`import=${importId}&state=%00`)).status).toBe(400);
    expect((await list(`import=${importId}&state=dismissed`)).body).toMatchObject({ rows: [], next: null });
    const api = async (query: string) => stage.organisation.get(`/v1/org/fulfilment/imports/${importId}/errors?${query}`);
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
