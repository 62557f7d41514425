import { randomUUID } from "node:crypto";
import { type Message, pair, type WireField } from "../../../adapters/eventStore/protocol/protobuf.js";
import { frameOf, type Method } from "../protocol/grpc.js";

/** The EventStoreDB release that this node behaves like. */
const SERVER_VERSION = "23.10.6";
const LEADER = 8;

const unaryCall =
  (answer: () => Message): Method =>
  (call) => ({
    message() {
      call.send(frameOf(answer()));
      call.end();
    },
  });

/** ServerFeatures.GetSupportedMethods, from which a client learns that it can append in batches. */
export const serverFeatures = (paths: readonly string[]): Method => unaryCall(() => [...paths.map(supportedMethod), [2, SERVER_VERSION]]);

function supportedMethod(path: string): WireField {
  const [, service = "", method = ""] = path.toLowerCase().split("/");
  return [1, pair(method, service)];
}

/** Gossip.Read, for addresses with `+discover`: describes a cluster of one node. */
export function gossip(endPoint: () => { host: string; port: number }): Method {
  const instance = randomUUID();
  return unaryCall(() => {
    const { host, port } = endPoint();
    const member: Message = [
      [1, [[2, instance]]],
      [2, Date.now() * 10_000],
      [3, LEADER],
      [4, 1], // alive
      [5, pair(host, port)],
    ];
    return [[1, member]];
  });
}
