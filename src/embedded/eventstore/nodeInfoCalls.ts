import { randomUUID } from "node:crypto";
import { type Call, type CallHandler, frame } from "./grpcCall.js";
import { bytesField, textField, varintField } from "./wire.js";

/** The release whose answers this node gives. */
const SERVER_VERSION = "23.10.6";
const LEADER = 8;

const unary = (answer: () => Buffer): ((call: Call) => CallHandler) => {
  return (call) => ({
    message: () => undefined,
    complete() {
      call.send(frame(answer()));
      call.end();
    },
  });
};

/** ServerFeatures.GetSupportedMethods: how a client learns that it can append in batches. */
export const serverFeatures = (paths: readonly string[]): ((call: Call) => CallHandler) =>
  unary(() => {
    const methods = paths.map((path) => {
      const [, service = "", method = ""] = path.toLowerCase().split("/");
      return bytesField(1, textField(1, method), textField(2, service));
    });
    return Buffer.concat([...methods, textField(2, SERVER_VERSION)]);
  });

/** Gossip.Read: a cluster of one, for addresses with `+discover`. */
export function gossip(address: () => { host: string; port: number }, now: () => number): (call: Call) => CallHandler {
  const instance = randomUUID();
  return unary(() => {
    const { host, port } = address();
    return bytesField(
      1,
      bytesField(1, textField(2, instance)),
      varintField(2, now() * 10_000),
      varintField(3, LEADER),
      varintField(4, 1),
      bytesField(5, textField(1, host), varintField(2, port)),
    );
  });
}
