// The embedded node, as slow and strict as a real server, for eventStore.test.ts: `slowEventStore.mjs PORT FOLDER`. It is slow to start and to
// stop, still answers while it stops, and does not start with an EVENTSTORE_ variable that it does not know.
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { startEventStoreNode } from "../../../dist/embedded/eventstore/node.js";

const slowMs = 400;
const [port, dataDir] = process.argv.slice(2);
const unknown = Object.keys(process.env).filter((name) => name.startsWith("EVENTSTORE_"));
if (unknown.length > 0) {
  process.stderr.write(`unknown options: ${unknown.join(", ")}\n`);
  process.exit(1);
}
await pause(slowMs);
const node = await startEventStoreNode({ port: Number(port), dataDir });
process.once("SIGTERM", async () => {
  await pause(slowMs);
  await node.stop();
  process.exit(0);
});
