import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createLogger } from "../../src/adapters/logging.js";
import { createPool } from "../../src/adapters/postgres/pool.js";
import { createTestDatabase, type TestDatabase } from "../support/stores/postgres.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

function logged(error: unknown): { line: string; err: unknown } {
  let line = "";
  const stream = { write: (text: string) => (line += text) };
  createLogger({ level: "info", role: "test", stream }).warn({ err: error }, "a fault");
  return { line, err: (JSON.parse(line) as { err: unknown }).err };
}

test("of an error that carries its connection only the type, message, code and stack are logged", async () => {
  const pool = createPool({ url: database.url, applicationName: "test", max: 1 });
  try {
    const { rows } = await pool.query<{ pid: number }>("select pg_backend_pid() as pid");
    const lost = once(pool, "error", { signal: AbortSignal.timeout(30_000) });
    await database.pool.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
    const [error] = await lost;
    expect(error).toHaveProperty("client.secretKey"); // must not be logged
    const { line, err } = logged(error);
    expect(err).toEqual({ type: "DatabaseError", message: expect.any(String), code: "57P01", stack: expect.any(String) });
    expect(line).not.toContain("secretKey");
  } finally {
    await pool.end();
  }
});

test("the message of an error's cause is logged with it", () => {
  const error = new Error("no quote", { cause: Object.assign(new Error("no database"), { client: { secretKey: 42 } }) });
  expect(logged(error).err).toMatchObject({ message: "no quote: no database" });
  expect(logged(error).line).not.toContain("secretKey");
});

test("for an AggregateError without a message the messages of its errors are logged", () => {
  const [one, other] = ["::1", "127.0.0.1"].map((host) => new Error(`connect ECONNREFUSED ${host}:5432`));
  const error = Object.assign(new AggregateError([one, other]), { code: "ECONNREFUSED" });
  const message = "Error: connect ECONNREFUSED ::1:5432; Error: connect ECONNREFUSED 127.0.0.1:5432";
  expect(logged(error).err).toMatchObject({ type: "AggregateError", message, code: "ECONNREFUSED" });
});

test("a thrown value that is not an Error is logged as text", () => {
  expect(logged("text").err).toBe("text");
  expect(logged({ secretKey: 42 }).err).toBe("[object Object]");
});

test.skipIf(!existsSync("/dev/full"))("a log line that cannot be written does not end the process", async () => {
  const script = `
    const { createLogger } = await import(${JSON.stringify(new URL("../../dist/adapters/logging.js", import.meta.url).href)});
    const logger = createLogger({ level: "info", role: "test" });
    for (let line = 0; line < 3000; line += 1) logger.info({ text: "x".repeat(1000) }, "a line");
    setTimeout(() => process.exit(7), 100);`;
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "ignore", full] });
  onTestFinished(() => void child.kill("SIGKILL"));
  closeSync(full);
  expect(await once(child, "exit")).toEqual([7, null]);
});
