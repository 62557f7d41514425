// What the embedded event store costs: the unmodified client against the node, and against a server that does nothing.
//   node scripts/build.mjs && node bench/eventstore.mjs [events]
// Rates are wall clock on this machine; the CPU figures are what to compare: the node may cost as much again as the client.
// "Beside it" is the client in the node's own run: who waits for a disk finds its caches cold afterwards, client and node alike.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { EventStoreDBClient, jsonEvent, START, streamNameFilter } from "@eventstore/db-client";

const EVENTS = Number(process.argv[2] ?? 50_000);
const BATCHES = [500, 100];
const SINGLE_APPENDS = 2_000;
/** Single appends under way at once, each to a stream of its own: what an API with many callers does. */
const IN_FLIGHT = 20;

const row = (n) =>
  jsonEvent({
    type: "RowAccepted",
    data: {
      row: n,
      shipmentId: `SH-${n}`,
      from: { postcode: "2000", suburb: "SYDNEY" },
      to: { postcode: "0800", suburb: "DARWIN" },
      items: [{ type: "carton", quantity: 2, kg: 12.5 }],
    },
    metadata: { organisationId: "demo", correlationId: `import-${n % 10}`, schemaVersion: 1 },
  });

async function serverOf(kind) {
  const folder = mkdtempSync(join(tmpdir(), "waybill-bench-"));
  const child = fork(fileURLToPath(new URL("./eventstoreServer.mjs", import.meta.url)), [kind, folder]);
  const [{ address }] = await once(child, "message");
  return {
    address,
    async cpu() {
      child.send("cpu");
      const [{ cpu }] = await once(child, "message");
      return cpu;
    },
    async stop() {
      child.disconnect();
      await once(child, "exit");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const microseconds = ({ user, system }) => user + system;

/** Runs `work`, which handles `events` events, and says what that cost on both sides. */
async function measured(label, server, events, work) {
  const [clientBefore, serverBefore, startedAt] = [process.cpuUsage(), await server.cpu(), performance.now()];
  await work();
  const ms = performance.now() - startedAt;
  const client = microseconds(process.cpuUsage(clientBefore)) / events;
  const serverCost = (microseconds(await server.cpu()) - microseconds(serverBefore)) / events;
  const rate = Math.round((events / ms) * 1000);
  console.log(
    `  ${label.padEnd(34)} ${String(rate).padStart(7)} events/s   client ${client.toFixed(1).padStart(6)} us   server ${serverCost.toFixed(1).padStart(6)} us   per event`,
  );
  return { rate, client, server: serverCost };
}

async function append(client, stream, events, size, options) {
  for (let at = 0; at < events.length; at += size) {
    const expectedRevision = at === 0 ? "no_stream" : BigInt(at - 1);
    await client.appendToStream(stream, events.slice(at, at + size), { expectedRevision, ...options });
  }
}

async function appendSingles(client, stream, events) {
  const share = events.length / IN_FLIGHT;
  const callers = Array.from({ length: IN_FLIGHT }, (_, n) =>
    append(client, `${stream}-${n}`, events.slice(n * share, (n + 1) * share), 1, {}),
  );
  await Promise.all(callers);
}

async function follow(client, wanted) {
  const filter = streamNameFilter({ prefixes: ["import-"], maxSearchWindow: 1_000, checkpointInterval: 10 });
  const subscription = client.subscribeToAll({ fromPosition: START, filter });
  let seen = 0;
  for await (const _ of subscription) if (++seen === wanted) break;
  await subscription.unsubscribe();
}

async function runAgainst(kind) {
  console.log(kind === "node" ? "client + embedded node" : "client + a server that does nothing");
  const server = await serverOf(kind);
  const client = EventStoreDBClient.connectionString(server.address);
  const credentials = { credentials: { username: "admin", password: "changeit" } };
  const results = {};
  try {
    const events = Array.from({ length: EVENTS }, (_, n) => row(n));
    await append(client, "warm-up", events.slice(0, 5_000), 500, {});
    await append(client, "warm-up-single", events.slice(0, SINGLE_APPENDS), 1, {});
    await appendSingles(client, "warm-up-singles", events.slice(0, SINGLE_APPENDS));
    for (const size of BATCHES) {
      results[`append, batch path, ${size} at a time`] = await measured(`append, batch path, ${size} at a time`, server, EVENTS, () =>
        append(client, `import-batch-${size}`, events, size, {}),
      );
      results[`append, classic path, ${size} at a time`] = await measured(`append, classic path, ${size} at a time`, server, EVENTS, () =>
        append(client, `import-classic-${size}`, events, size, credentials),
      );
    }
    results["append, one at a time"] = await measured("append, one at a time", server, SINGLE_APPENDS, () =>
      append(client, "import-single", events.slice(0, SINGLE_APPENDS), 1, {}),
    );
    const inFlight = `append, one event, ${IN_FLIGHT} in flight`;
    results[inFlight] = await measured(inFlight, server, SINGLE_APPENDS, () =>
      appendSingles(client, "import-singles", events.slice(0, SINGLE_APPENDS)),
    );
    results.subscription = await measured("subscription, catching up", server, EVENTS * 2, () => follow(client, EVENTS * 2));
  } finally {
    await client.dispose();
    await server.stop();
  }
  return results;
}

const nothing = await runAgainst("stub");
const node = await runAgainst("node");
console.log("node against nothing");
for (const [label, { rate, client, server }] of Object.entries(node)) {
  const bare = nothing[label];
  const percent = (part, whole) => `${Math.round((part / whole) * 100)} %`;
  console.log(
    `  ${label.padEnd(34)} ${percent(rate, bare.rate)} of the rate; the node's CPU is ${percent(server, bare.client)} of the client's own, ${percent(server, client)} of the client's beside it`,
  );
}
