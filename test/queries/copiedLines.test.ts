// Rows that are copied out of the database while someone takes them.
import type { PoolClient } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createPool } from "../../src/adapters/postgres/pool.js";
import { StoreUnavailable } from "../../src/portErrors.js";
import { copiedLines } from "../../src/queries/activities/allActivities.js";
import { binaryRows } from "../../src/queries/lookUps/copyOut.js";
import { eventually } from "../support/eventually.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
});
afterAll(() => database?.close());

async function begun(pool = database.pool): Promise<PoolClient> {
  const client = await pool.connect();
  await client.query("begin read only");
  return client;
}

const notClosed = () => expect.unreachable("the connection is closed");

async function linesOf(text: string, values: readonly unknown[], pool = database.pool): Promise<string> {
  const client = await begun(pool);
  let lines = "";
  try {
    for await (const some of copiedLines(client, { text, values }, notClosed)) {
      lines += some.toString();
    }
    await client.query("rollback"); // the connection can be used again
  } finally {
    client.release(true);
  }
  return lines;
}

test("rows in binary have their columns' bytes, and a connection whose rows were not read is not used again", async () => {
  const bytes = Buffer.from([0, 9, 10, 92, 255]);
  const rows = (text: string, values: readonly unknown[]) => binaryRows(database.pool, { text, values });
  expect(await rows("select $1::bytea, $2 from generate_series(1, 2)", ["\\x00090a5cff", "é"])).toEqual([
    [bytes, Buffer.from("é")],
    [bytes, Buffer.from("é")],
  ]);
  expect(await rows("select $1 where false", ["x"])).toEqual([]);
  const open = database.pool.totalCount;
  await expect(rows("select $1::integer / 0", ["1"])).rejects.toThrow("division by zero");
  expect(database.pool.totalCount).toBe(open - 1);
});

describe("values in a statement", () => {
  const hostile = [
    ...["'", "''", "\\", "\\'", "\\\\'", "'; drop table x; --", "') to program 'id' --", "x' or 'a' = 'a", "E'\\047'", "$$", "$1", "$2$1"],
    ...["%s", "/*", "--", "\u02bc", "＇", "é\u0301", "😀", "\u0001", "\ufffe", ""],
  ];

  test.each(hostile)("a text such as %j stays this text", async (text) => {
    const found = await linesOf("select encode(convert_to($1::text, 'UTF8'), 'hex'), $2::text is null, $3::text", [text, null, "last"]);
    expect(found).toBe(`${Buffer.from(text).toString("hex")}\tt\tlast\n`);
  });

  test("times and lists of times are those that are sent with other statements", async () => {
    const times = [new Date("2026-03-01T00:10:00.001Z"), new Date(Date.UTC(10_000, 0, 1)), new Date("-000001-06-01T00:00:00Z")];
    const sql = "select extract(epoch from $1::timestamptz), $2::timestamptz[]::text, $3::timestamptz > now()";
    const values = [times[2], times, "infinity"];
    const { rows } = await database.pool.query<string[]>({ text: sql, values, rowMode: "array" });
    expect((await linesOf(sql, values)).trimEnd().split("\t")).toEqual([...(rows[0] ?? []).slice(0, 2), "t"]);
  });

  test("a text with NUL, which no text in Postgres has, is refused", async () => {
    const client = await begun();
    onTestFinished(() => client.release(true));
    await expect(copiedLines(client, { text: "select $1::text", values: ["a\0b"] }, notClosed).next()).rejects.toThrow("invalid byte");
  });
});

test("many rows come in their order, whole lines at a time", async () => {
  const lines = await linesOf("select n, repeat('x', n % 300) || E'\\n' from generate_series(1, $1::int) as n", [20_000]);
  const numbers = lines.trimEnd().split("\n");
  expect(numbers.map((line) => Number(line.split("\t")[0]))).toEqual(Array.from({ length: 20_000 }, (_, n) => n + 1));
});

test("a line that is longer than all that is read at once is not cut", async () => {
  expect(await linesOf("select repeat('x', $1::int) from generate_series(1, 2)", [1_000_000])).toBe(`${"x".repeat(1_000_000)}\n`.repeat(2));
});

describe("someone who takes the rows slowly, or stops", () => {
  /** More than any buffer holds, made one by one. */
  const endless = { text: "select generate_series(1, 2000000000), repeat('x', 1000)", values: [] };

  async function begin() {
    const client = await begun();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const state = async () => {
      const found = await database.one.query<{ wait_event: string }>("select wait_event from pg_stat_activity where pid = $1", [
        rows[0]?.pid,
      ]);
      return found.rows[0] === undefined ? "ended" : found.rows[0].wait_event;
    };
    const closed: Error[] = [];
    const close = (reason: Error) => {
      if (closed.push(reason) === 1) client.release(reason);
    };
    return { lines: copiedLines(client, endless, close), close, closed, state };
  }

  const taken = async (lines: AsyncGenerator<Buffer>) => (await lines.next()).value as Buffer;

  test("makes the database wait, which goes on when the next rows are taken", async () => {
    const { lines, close, state } = await begin();
    for (let round = 0; round < 3; round += 1) {
      for (let piece = 0; piece < 200; piece += 1) expect((await taken(lines)).length).toBeLessThan(300_000);
      await eventually(async () => (await state()) === "ClientWrite", "the database to wait");
    }
    await lines.return(undefined);
    close(new Error("left"));
    await eventually(async () => (await state()) === "ended", "the session's end");
  });

  test("for a minute ends the session, and the rows fail", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { lines, closed, state } = await begin();
    await taken(lines);
    await vi.advanceTimersByTimeAsync(59_000);
    await taken(lines);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(closed).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    vi.useRealTimers();
    expect(closed.map(({ message }) => message)).toEqual(["nobody took the next rows for a minute"]);
    await eventually(async () => (await state()) === "ended", "the session's end");
    await expect(all(lines)).rejects.toThrow("Connection terminated");
  });

  test("while the session is ended by the server gets an error and not an end", async () => {
    const { lines, close } = await begin();
    await taken(lines);
    await database.one.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'copy (%' and datname = current_database()",
    );
    await expect(all(lines)).rejects.toThrow(StoreUnavailable); // answered 503 where nothing was sent yet
    close(new Error("failed"));
  });
});

async function all(lines: AsyncGenerator<Buffer>): Promise<void> {
  for await (const _ of lines);
}

describe("with limits on other statements", () => {
  async function copied(text: string): Promise<void> {
    const pool = createPool({ url: database.url, applicationName: "test", max: 1, statementTimeoutMs: 200, answerTimeoutMs: 200 });
    const client = await begun(pool);
    try {
      await all(copiedLines(client, { text, values: [] }, notClosed));
    } finally {
      client.release(true);
      await pool.end();
    }
  }

  test("the rows may come later than other answers", async () => {
    await copied("select n from generate_series(1, 3) as n, pg_sleep(0.5)");
  });

  test("no timer is left when they have come", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await copied("select 1");
    expect(vi.getTimerCount()).toBe(0);
  });
});
