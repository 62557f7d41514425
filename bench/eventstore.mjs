// What the embedded event store costs: the unmodified client against a server that does nothing, against one that does nothing but wait
// for the disk (one LMDB transaction per append), and against the node.
//   node scripts/build.mjs && node bench/eventstore.mjs [events per case and round] [rounds]
// The three take turns and the medians of their rounds are printed. Rates are wall clock on this machine; processor time is what to
// compare: the node may cost as much again as the client.
// "Beside it" is the client's cost in the run against the node. Waiting for the disk leaves processor caches cold, for client and node alike.
import { fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { EventStoreDBClient, jsonEvent, START, streamNameFilter } from "@eventstore/db-client";
import { heapFlags } from "../dist/embedded/childProcess.js";
import { benchFolder, endedWithUs } from "./processes.mjs";

const EVENTS = Number(process.argv[2] ?? 20_000);
const ROUNDS = Number(process.argv[3] ?? 5);
const SINGLE_APPENDS = 2_000;
/** Single appends under way at once, each to a stream of its own: what an API with many callers does. */
const IN_FLIGHT = 20;
const WITH_CREDENTIALS = { credentials: { username: "admin", password: "changeit" } };
const SERVERS = { nothing: "a server that does nothing", disk: "a server that only waits for the disk", node: "the embedded node" };

const CASES = [
  { label: "batch path, 500 at a time", events: EVENTS, run: (client, stream, events) => append(client, stream, events, 500) },
  {
    label: "classic path, 500 at a time",
    events: EVENTS,
    run: (client, stream, events) => append(client, stream, events, 500, WITH_CREDENTIALS),
  },
  { label: "batch path, 100 at a time", events: EVENTS, run: (client, stream, events) => append(client, stream, events, 100) },
  {
    label: "classic path, 100 at a time",
    events: EVENTS,
    run: (client, stream, events) => append(client, stream, events, 100, WITH_CREDENTIALS),
  },
  { label: `one event, ${IN_FLIGHT} in flight`, events: SINGLE_APPENDS, run: appendSingles },
  { label: "one event, one after another", events: SINGLE_APPENDS, run: (client, stream, events) => append(client, stream, events, 1) },
  { label: "subscription, catching up", events: EVENTS, run: (client, _stream, events) => follow(client, events.length), without: "disk" },
];

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

async function startServer(kind) {
  const folder = benchFolder();
  const program = fileURLToPath(new URL("./eventstoreServer.mjs", import.meta.url));
  const child = endedWithUs(fork(program, [kind, folder], { execArgv: heapFlags("eventstore") })); // as the product starts it
  const [{ address }] = await once(child, "message");
  const client = EventStoreDBClient.connectionString(address);
  return {
    kind,
    client,
    async cpu() {
      child.send("cpu");
      const [{ cpu }] = await once(child, "message");
      return microseconds(cpu);
    },
    async stop() {
      await client.dispose();
      child.disconnect();
      await once(child, "exit");
    },
  };
}

const microseconds = ({ user, system }) => user + system;

async function append(client, stream, events, size, options = {}) {
  for (let at = 0; at < events.length; at += size) {
    const expectedRevision = at === 0 ? "no_stream" : BigInt(at - 1);
    await client.appendToStream(stream, events.slice(at, at + size), { expectedRevision, ...options });
  }
}

async function appendSingles(client, stream, events) {
  const share = events.length / IN_FLIGHT;
  const callers = Array.from({ length: IN_FLIGHT }, (_, n) =>
    append(client, `${stream}-${n}`, events.slice(n * share, (n + 1) * share), 1),
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

/** One case against one server: microseconds per event, by the clock and of both processors. */
async function measure({ run, events: count }, { client, cpu }, stream) {
  const events = Array.from({ length: count }, (_, n) => row(n));
  const [clientBefore, serverBefore, startedAt] = [process.cpuUsage(), await cpu(), performance.now()];
  await run(client, stream, events);
  const clock = (performance.now() - startedAt) * 1_000;
  const ofClient = microseconds(process.cpuUsage(clientBefore));
  const ofServer = (await cpu()) - serverBefore;
  return { clock: clock / count, client: ofClient / count, server: ofServer / count };
}

const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];
const medians = (rounds) =>
  Object.fromEntries(["clock", "client", "server"].map((figure) => [figure, median(rounds.map((round) => round[figure]))]));

async function measureCase(one, index, servers) {
  const taking = servers.filter(({ kind }) => kind !== one.without);
  const rounds = Object.fromEntries(taking.map(({ kind }) => [kind, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const server of taking) {
      const measured = await measure(one, server, `import-${index}-${round}`);
      if (round > 0) rounds[server.kind].push(measured); // the first one warms up
    }
  }
  return Object.fromEntries(Object.entries(rounds).map(([kind, measured]) => [kind, medians(measured)]));
}

function print(label, results) {
  console.log(label);
  for (const [kind, { clock, client, server }] of Object.entries(results)) {
    const figures = `${String(Math.round(1e6 / clock)).padStart(7)} events/s   processor time per event: client ${client.toFixed(1)} us, server ${server.toFixed(1)} us`;
    console.log(`  ${SERVERS[kind].padEnd(38)} ${figures}`);
  }
  const { nothing, disk, node } = results;
  const percent = (part, whole) => `${Math.round((part / whole) * 100)} %`;
  console.log(
    `  the node: ${percent(nothing.clock, node.clock)} of the rate with nothing; ${percent(node.server, nothing.client)} of the client's processor time there, ${percent(node.server, node.client)} of the client's beside it`,
  );
  if (!disk) return;
  console.log(
    `  waiting for the disk alone: ${percent(nothing.clock, disk.clock)} of the rate with nothing; what the node adds to it: ${percent(node.clock - disk.clock, nothing.clock)} of the time with nothing, ${percent(node.server - disk.server, nothing.client)} of the client's processor time`,
  );
}

const servers = [];
try {
  for (const kind of Object.keys(SERVERS)) servers.push(await startServer(kind));
  for (const [index, one] of CASES.entries()) print(one.label, await measureCase(one, index, servers));
} finally {
  for (const server of servers) await server.stop();
}
