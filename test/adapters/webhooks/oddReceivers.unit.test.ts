// Whatever a receiver does, an attempt settles by its deadline and frees its socket.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createPost, type PostOptions } from "../../../src/adapters/webhooks/post.js";
import { withTimeLimit } from "../../../src/timeLimit.js";
import { eventually } from "../../support/eventually.js";
import { type OddReceiver, oddBehindTls, oddReceivers, trusted } from "../../support/oddReceivers.js";

/** Far beyond every deadline of these tests: an attempt that has not settled by then never does. */
const neverMs = 30_000;

/** Starts the receiver. `open` counts the connections that the other side has not given up. */
async function receive({ treat, isTls }: OddReceiver) {
  const sockets: Socket[] = [];
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: !isTls }, (socket) => {
    sockets.push(socket);
    open.add(socket);
    for (const event of ["end", "error", "close"]) socket.on(event, () => open.delete(socket));
    treat(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((settle) => server.close(settle));
  });
  return { port: (server.address() as AddressInfo).port, open: () => open.size, sockets };
}

async function attempt(url: string, options: PostOptions, signal = new AbortController().signal) {
  const posted = createPost(options)({
    url,
    headers: {},
    body: JSON.stringify({ text: "x".repeat(1_000) }),
    refusalReason: () => undefined,
    signal,
  });
  return withTimeLimit(neverMs, posted, () => {
    throw new Error("the attempt is still open");
  });
}

async function settles(odd: OddReceiver, options: PostOptions): Promise<void> {
  const { port, open, sockets } = await receive(odd);
  const answer = await attempt(`${odd.isTls ? "https" : "http"}://127.0.0.1:${port}/`, { deadlineMs: 400, ...options });
  if (odd.status !== undefined) expect(answer.status).toBe(odd.status);
  if (odd.reason) expect(answer.reason).toMatch(odd.reason);
  expect(answer.reason === null).toBe(answer.status !== null && answer.status >= 200 && answer.status < 300);
  for (const socket of sockets) socket.resume(); // one that reads nothing does not see that the other side has gone
  await eventually(() => open() === 0, "the socket to be freed");
}

test.each(Object.entries(oddReceivers))("an attempt at a receiver that %s settles and frees its socket", (_, odd) => settles(odd, {}));

test.each(Object.entries(oddBehindTls))("an attempt at a trusted receiver that %s settles and frees its socket", (_, odd) =>
  settles(odd, { ca: trusted }),
);

test("an attempt settles wherever a receiver's answer breaks off, and its status counts once the head is whole", async () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n";
  const text = `${head}hello`;
  let cut = 0;
  const { port, open } = await receive({ treat: (socket) => void socket.once("data", () => socket.end(text.slice(0, cut))) });
  for (cut = 0; cut <= text.length; cut += 1) {
    const { status, reason } = await attempt(`http://127.0.0.1:${port}/`, { deadlineMs: 60_000 });
    expect({ cut, status }).toEqual({ cut, status: cut < head.length ? null : 200 });
    if (status === null) expect(reason).toMatch(/^The connection was closed before an answer|^Parse Error/);
  }
  await eventually(() => open() === 0, "the sockets to be freed");
});

test("an attempt settles at its deadline while the name is looked up, also by a look-up that ignores the deadline", async () => {
  const lookUp = () => new Promise<string[]>(() => undefined);
  expect((await attempt("https://erp.example.com/", { deadlineMs: 300, lookUp })).reason).toBe("No answer within 0.3 s");
});

test("a worker that stops ends an attempt at a receiver that has switched protocols or is silent", async () => {
  for (const name of ["accepts and is silent", "answers 101 alone"]) {
    const { port, open, sockets } = await receive(oddReceivers[name] as OddReceiver);
    const control = new AbortController();
    const attempted = attempt(`http://127.0.0.1:${port}/`, { deadlineMs: 600_000 }, control.signal);
    await eventually(() => sockets.length > 0, "the connection");
    control.abort();
    expect((await attempted).reason).not.toBeNull();
    for (const socket of sockets) socket.resume();
    await eventually(() => open() === 0, "the socket to be freed");
  }
});
