// The servers of bench/eventstore.mjs, each in a process of its own: `eventstoreServer.mjs node|disk|nothing FOLDER`.
import { createServer } from "node:http2";
import process from "node:process";
import { messageReader, readBytes, readFlag } from "../dist/adapters/eventStore/protocol/protobuf.js";
import { serverFeatures } from "../dist/embedded/eventstore/calls/nodeInfoCalls.js";
import { encodeBlocks, newEvent } from "../dist/embedded/eventstore/log/blockEncoder.js";
import { openTables } from "../dist/embedded/eventstore/log/storage.js";
import { startEventStoreNode } from "../dist/embedded/eventstore/node.js";
import { appendSuccess, batchResult, encodeBatchReply } from "../dist/embedded/eventstore/protocol/appendReplies.js";
import { frameOf, serveCall } from "../dist/embedded/eventstore/protocol/grpc.js";

const STREAMS = "/event_store.client.streams.Streams";
/** The node commits appends up to this size in its main thread. */
const SMALL_BYTES = 64 * 1024;
const readPart = messageReader(() => ({ correlation: undefined, isFinal: false }), {
  1: ["correlation", readBytes],
  4: ["isFinal", readFlag],
});
const target = { stream: "s", expected: "any" };
const written = { kind: "written", revision: 0, position: 1 };

/** A server that acknowledges every append once `keep` has stored it, without decoding it. To readers it sends the same events over and over. */
async function startStub(keep) {
  const routes = {
    [`${STREAMS}/BatchAppend`]: (call) => ({
      async message(bytes) {
        const { correlation, isFinal } = readPart(bytes);
        await keep(bytes);
        if (isFinal) call.send(frameOf(encodeBatchReply(correlation, target, batchResult(target, written))));
      },
      complete: () => call.end(),
    }),
    [`${STREAMS}/Append`]: (call) => {
      const messages = [];
      return {
        message: (bytes) => void messages.push(bytes),
        async complete() {
          await keep(Buffer.concat(messages));
          call.send(frameOf(appendSuccess(written)));
          call.end();
        },
      };
    },
    [`${STREAMS}/Read`]: (call) => ({
      async message() {
        call.send(frameOf([[2, [[1, "stub"]]]]));
        const page = cannedEvents();
        while (!call.isOver()) {
          call.send(page);
          await call.drained();
        }
      },
      complete: () => undefined,
    }),
  };
  routes["/event_store.client.server_features.ServerFeatures/GetSupportedMethods"] = serverFeatures(Object.keys(routes));
  const server = createServer({ settings: { initialWindowSize: 1024 * 1024 } });
  server.on("session", (session) => session.setLocalWindowSize(4 * 1024 * 1024));
  server.on("stream", (stream, headers) => serveCall(stream, routes[headers[":path"]], console.error));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `esdb://127.0.0.1:${server.address().port}?tls=false`, stop: async () => undefined };
}

/** Stores each append in a durable transaction of its own, as the node does with an append that arrives alone. */
function keeperIn(folder) {
  const { root, log } = openTables(folder);
  let position = 0;
  return async (bytes) => {
    position += 1;
    if (bytes.length <= SMALL_BYTES) root.transactionSync(() => log.putSync(position, bytes));
    else await root.batch(() => void log.put(position, bytes));
  };
}

function cannedEvents() {
  const data = Buffer.from(
    JSON.stringify({
      row: 1,
      shipmentId: "SH-10000",
      from: { postcode: "2000", suburb: "SYDNEY" },
      to: { postcode: "0800", suburb: "DARWIN" },
      items: [{ type: "carton", quantity: 2, kg: 12.5 }],
    }),
  );
  const metadata = Buffer.from(JSON.stringify({ organisationId: "demo", correlationId: "import-1", schemaVersion: 1 }));
  const event = newEvent({ id: "9b2c3f8e-5d0a-4c6b-8f1e-2a7d4e6b9c01", type: "RowAccepted", metadata, data });
  const blocks = encodeBlocks({
    stream: "import-batch-500",
    revision: 0,
    position: 1,
    createdAt: Date.now(),
    events: Array.from({ length: 250 }, () => event),
  });
  return Buffer.concat(blocks.map(({ frames }) => frames));
}

const [kind, dataDir] = process.argv.slice(2);
const starts = {
  node: () => startEventStoreNode({ port: 0, dataDir }),
  disk: () => startStub(keeperIn(dataDir)),
  nothing: () => startStub(() => undefined),
};
const server = await starts[kind]();
process.on("message", () => process.send({ cpu: process.cpuUsage() }));
process.once("disconnect", () => void server.stop().then(() => process.exit(0)));
process.send({ address: server.address });
