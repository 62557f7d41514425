import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * `pass`: the proxy changes nothing. `dropReplies`: requests arrive, but with the given chance the server's answer is lost together
 * with its connection. `blackHole`: connections stay open and nothing passes in either direction. `deaf`: requests arrive and
 * nothing comes back. `held`: nothing passes until another behaviour is set, then all of it does, in order.
 * `slow`: replies trickle. `refuse`: new connections are cut at once. `cutReplies`: half of a reply arrives, then its connection ends.
 */
export type ProxyBehaviour =
  | { readonly kind: "pass" | "blackHole" | "deaf" | "held" | "refuse" | "cutReplies" }
  | { readonly kind: "dropReplies"; readonly chance: () => boolean }
  | { readonly kind: "slow"; readonly bytesPerSecond: number };

export interface TcpProxy {
  readonly port: number;
  /** The address that leads through the proxy. */
  readonly address: string;
  readonly connections: () => number;
  readonly openConnections: () => number;
  /** Answers that were lost so far. */
  readonly dropped: () => number;
  /** Bytes that were received and not passed on so far. */
  readonly swallowed: () => number;
  set(behaviour: ProxyBehaviour): void;
  /** Ends every connection that is open now. */
  cut(): void;
  stop(): Promise<void>;
}

/** Stands between a client and `esdb://host:port` and behaves like a bad network. */
export async function startTcpProxy(target: string): Promise<TcpProxy> {
  const [, host = "127.0.0.1", port = "2113"] = /\/\/(?:[^@/]*@)?([^:/?]+):(\d+)/.exec(target) ?? [];
  let behaviour: ProxyBehaviour = { kind: "pass" };
  let dropped = 0;
  let swallowed = 0;
  let held: (() => void)[] = [];
  let accepted = 0;
  const open = new Set<Socket>();

  const server = createServer((near) => {
    accepted += 1;
    if (behaviour.kind === "refuse") return near.destroy();
    const far = connect(Number(port), host);
    const end = () => {
      near.destroy();
      far.destroy();
      open.delete(near);
    };
    open.add(near);
    for (const socket of [near, far]) socket.setNoDelay(true).on("error", end).on("close", end);
    near.on("data", (bytes) => {
      if (behaviour.kind === "blackHole") swallowed += bytes.length;
      else if (behaviour.kind === "held") held.push(() => far.write(bytes));
      else far.write(bytes);
    });
    const replies = replyCounter();
    far.on("data", (bytes) => {
      if (behaviour.kind === "blackHole" || behaviour.kind === "deaf") {
        swallowed += bytes.length;
        return;
      }
      if (behaviour.kind === "held") return void held.push(() => near.write(bytes));
      const { kind } = behaviour;
      for (let reply = replies(bytes); reply > 0 && kind === "dropReplies"; reply--) {
        if (!behaviour.chance()) continue;
        dropped += 1;
        return end();
      }
      if (kind === "cutReplies") return void near.write(bytes.subarray(0, bytes.length / 2), end);
      near.write(bytes);
      if (behaviour.kind === "slow") rest(far, (bytes.length / behaviour.bytesPerSecond) * 1000);
    });
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: ours } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of open) socket.destroy();
  };

  return {
    port: ours,
    address: target.replace(`${host}:${port}`, `127.0.0.1:${ours}`),
    connections: () => accepted,
    openConnections: () => open.size,
    dropped: () => dropped,
    swallowed: () => swallowed,
    set: (next) => {
      behaviour = next;
      if (next.kind === "held") return;
      for (const pass of held) pass();
      held = [];
    },
    cut,
    async stop() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}

function rest(socket: Socket, milliseconds: number): void {
  socket.pause();
  setTimeout(() => socket.resume(), milliseconds);
}

/** Counts the answers in a stretch of HTTP/2: each comes in a DATA frame, and many may come on one call. */
function replyCounter(): (bytes: Buffer) => number {
  const dataFrame = 0;
  let header = Buffer.alloc(0);
  let payload = 0;
  return (bytes) => {
    let replies = 0;
    for (let at = 0; at < bytes.length; ) {
      const skipped = Math.min(payload, bytes.length - at);
      payload -= skipped;
      at += skipped;
      if (payload > 0 || at === bytes.length) break;
      const part = bytes.subarray(at, at + 9 - header.length);
      header = Buffer.concat([header, part]);
      at += part.length;
      if (header.length < 9) break;
      payload = header.readUIntBE(0, 3);
      if (header[3] === dataFrame && payload > 0) replies += 1;
      header = Buffer.alloc(0);
    }
    return replies;
  };
}
