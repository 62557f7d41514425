// `waybill eventstore`: the event store in a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { program, until } from "../support/processes.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-test-cli-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the event store serves by itself, for any client, until SIGTERM", async () => {
  const child: ChildProcess = spawn(process.execPath, [program, "eventstore", "--port", "0", "--data", join(folder, "events")]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    said += chunk;
  });
  await until("it says where it listens", async () => /esdb:\S+\s/.test(said));
  const client = EventStoreDBClient.connectionString(/esdb:\S+/.exec(said)?.[0] ?? "");
  try {
    const { nextExpectedRevision } = await client.appendToStream("notes", [jsonEvent({ type: "Noted", data: { text: "hello" } })]);
    expect(nextExpectedRevision).toBe(0n);
  } finally {
    await client.dispose();
  }
  const exited = new Promise((settle) => child.once("exit", settle));
  child.kill("SIGTERM");
  expect(await exited).toBe(0);
});

test("the event store by itself refuses clients without the credentials that it was given, and never prints them", async () => {
  const child = spawn(process.execPath, [
    program,
    "eventstore",
    "--port",
    "0",
    "--data",
    join(folder, "guarded"),
    "--credentials-on-stdin",
  ]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
  child.stdin.write("carrier:pigeon\n"); // stdin stays open: one line is enough
  await until("it says where it listens", async () => /esdb:\S+\s/.test(said));
  const address = /esdb:\S+/.exec(said)?.[0] ?? "";
  const stranger = EventStoreDBClient.connectionString(address);
  const owner = EventStoreDBClient.connectionString(`${address}&connectionName=carrier:pigeon`);
  const note = [jsonEvent({ type: "Noted", data: { text: "hello" } })];
  try {
    await expect(stranger.appendToStream("notes", note)).rejects.toMatchObject({ type: "access-denied" });
    await owner.appendToStream("notes", note);
  } finally {
    await Promise.all([stranger.dispose(), owner.dispose()]);
  }
  const closed = once(child, "close");
  child.kill("SIGTERM");
  expect(await closed).toEqual([0, null]);
  expect(said).not.toContain("pigeon");
});

test.each(["", "carrier", "carrier:", ":pigeon", "a b:c", `carrier:${"p".repeat(2_000)}`])(
  "the event store does not start with the credentials %j",
  async (given) => {
    const child = spawn(process.execPath, [program, "eventstore", "--port", "0", "--data", join(folder, "no"), "--credentials-on-stdin"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
    const closed = once(child, "close");
    child.stdin.on("error", () => undefined).end(given);
    expect(await closed).toEqual([1, null]);
    expect(said).toBe("--credentials-on-stdin wants one line on standard input, user:password, without spaces\n");
  },
);
