import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EventStoreDBClient } from "@eventstore/db-client";
import { expect, onTestFinished, test } from "vitest";
import { startEventStoreNode } from "../../../src/embedded/eventstore/node.js";
import { collect, numbered, openClient, within } from "./events.js";

const entry = fileURLToPath(new URL("../../support/stores/eventStoreProcess.mjs", import.meta.url));

test("on a full disk the node says so and ends; acknowledged events are there when a node with space opens the folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "waybill-full-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // ulimit lets a file grow to 10 MB; then writes fail as on a full disk.
  const child = spawn("sh", ["-c", `trap '' XFSZ; ulimit -f 20000; exec "${process.execPath}" "${entry}" 0 "${folder}"`], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const closed = once(child, "close");
  const [{ address }] = (await once(child, "message")) as [{ address: string }];
  const acknowledged = await fill(address);
  expect(await within(closed, "the node's end")).toEqual([1, null]);
  expect(said).toContain(`could not write to ${folder}`);

  const node = await startEventStoreNode({ port: 0, dataDir: folder });
  onTestFinished(node.stop);
  const client = openClient(node.address);
  expect(await collect(client.readStream("filling"))).toHaveLength(acknowledged);
});

/** Appends until an append fails. Returns how many events were acknowledged. */
async function fill(address: string): Promise<number> {
  const client = EventStoreDBClient.connectionString(address);
  const pad = "x".repeat(4_000);
  try {
    for (let n = 0; ; n += 100) {
      try {
        await within(client.appendToStream("filling", numbered(n, 100, { pad })), "an append");
      } catch (error) {
        expect(error).toMatchObject({ type: "unavailable" });
        return n;
      }
    }
  } finally {
    await client.dispose();
  }
}
