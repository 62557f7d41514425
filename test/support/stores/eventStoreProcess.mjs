// The embedded event store as a process of its own, for tests that kill it: `eventStoreProcess.mjs PORT FOLDER`.
import process from "node:process";
import { runEventStoreNode } from "../../../dist/embedded/eventstore/node.js";

const [port, dataDir] = process.argv.slice(2);
process.exit(await runEventStoreNode({ port: Number(port), dataDir }));
