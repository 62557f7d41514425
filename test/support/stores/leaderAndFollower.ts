// Two nodes behind one address, as a cluster looks to a client that prefers followers: calls that want the leader reach one node, all
// other reads the second one, which has only the events that a test appends to it.
import { once } from "node:events";
import { type ClientHttp2Session, connect, createServer, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { AddressInfo } from "node:net";
import { startEmbeddedEventStore, type TestEventStore } from "./eventStore.js";

export interface LeaderAndFollower {
  /** The address at which both nodes answer. */
  readonly address: string;
  readonly leader: TestEventStore;
  readonly follower: TestEventStore;
  /** Reads that came to the follower. */
  followerReads(): number;
  stop(): Promise<void>;
}

/** The embedded node gives equal events, appended in the same order, equal positions. So a test replicates by appending to both. */
export async function startLeaderAndFollower(): Promise<LeaderAndFollower> {
  const [leader, follower] = await Promise.all([startEmbeddedEventStore(), startEmbeddedEventStore()]);
  const sessions = [leader, follower].map(({ address }) => connect(address.replace("esdb:", "http:").replace(/\?.*/, "")));
  const [toLeader, toFollower] = sessions as [ClientHttp2Session, ClientHttp2Session];
  let followerReads = 0;
  const server = createServer();
  server.on("stream", (stream, headers) => {
    const mayFollow = headers[":path"]?.endsWith("/Read") && headers["requires-leader"] !== "true";
    if (mayFollow) followerReads += 1;
    forward(stream, headers, mayFollow ? toFollower : toLeader);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `esdb://127.0.0.1:${port}?tls=false`,
    leader,
    follower,
    followerReads: () => followerReads,
    async stop() {
      for (const session of sessions) session.destroy();
      server.close();
      await Promise.all([leader.stop(), follower.stop()]);
    },
  };
}

function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, session: ClientHttp2Session): void {
  const { ":authority": _, ...rest } = headers;
  const call = session.request(rest);
  let trailers: IncomingHttpHeaders = {};
  call.on("trailers", (received) => {
    trailers = received;
  });
  call.on("response", (answer, flags) => {
    const endStream = (flags & 1) !== 0;
    stream.respond(answer, { waitForTrailers: !endStream, endStream });
    if (!endStream) call.pipe(stream);
  });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  stream.pipe(call);
  for (const each of [stream, call]) each.on("error", () => undefined);
  stream.on("close", () => call.close());
  call.on("close", () => !stream.closed && !stream.writableEnded && stream.close());
}
