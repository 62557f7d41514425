// The embedded event store as a process of its own: `eventStoreProcess.mjs PORT FOLDER`. It tells its parent its address.
import process from "node:process";

const [port, folder] = process.argv.slice(2);
process.argv.splice(2, 2, "eventstore", "--port", port, "--data", folder);
await import("../../../dist/cli.js");
