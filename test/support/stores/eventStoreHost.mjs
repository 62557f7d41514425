// Runs the event stores of many test files in one process, since starting a process takes much longer than starting a node.
// Messages are `{ id, folder }` to start a node and `{ id, stop: true }` to stop it; each is answered with its id.
import process from "node:process";
import { startEventStoreNode } from "../../../dist/embedded/eventstore/node.js";

const nodes = new Map();
process.on("message", async ({ id, folder, stop }) => {
  try {
    if (stop) await nodes.get(id).stop();
    else nodes.set(id, await startEventStoreNode({ port: 0, dataDir: folder }));
    process.send({ id, address: nodes.get(id).address });
    if (stop) nodes.delete(id);
  } catch (error) {
    process.send({ id, fault: String(error.stack) });
  }
});
process.on("disconnect", () => process.exit());
