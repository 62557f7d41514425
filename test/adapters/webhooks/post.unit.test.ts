import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createPost, type PostOptions } from "../../../src/adapters/webhooks/post.js";
import { addressRefusal } from "../../../src/domain/webhooks/address.js";
import { eventually } from "../../support/eventually.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Starts the server on a free port and returns the port. After the test its sockets are destroyed and it is closed. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((settle) => server.close(settle));
  });
  return (server.address() as AddressInfo).port;
}

const speak = (say: (socket: Socket) => void) => listen(createServer((socket) => socket.once("data", () => say(socket))));

/** For receivers that answer. */
const patient = { deadlineMs: 120_000 };
/** For receivers that never answer. */
const impatient = { deadlineMs: 400 };

const post = (url: string, options: PostOptions = {}, { allowPrivate = true } = {}) =>
  createPost({ ...patient, ...options })({
    url,
    headers: { "content-type": "application/json" },
    body: "{}",
    refusalReason: (address) => addressRefusal(address, new URL(url).protocol, { allowPrivate }),
    signal: new AbortController().signal,
  });

test("a receiver's status and answer are returned", async () => {
  const port = await speak((socket) => socket.end("HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok"));
  expect(await post(`http://127.0.0.1:${port}/x`)).toMatchObject({ status: 202, reason: null, answer: "ok" });
});

test("signatures of signed links are cut from the receiver's answer, and NUL is replaced", async () => {
  const body = "see https://x/y?X-Amz-Signature=abcdef&a=1 \0";
  const port = await speak((socket) => socket.end(`HTTP/1.1 500 No\r\ncontent-length: ${body.length}\r\n\r\n${body}`));
  expect((await post(`http://127.0.0.1:${port}/`)).answer).toBe("see https://x/y?X-Amz-Signature=...&a=1 \ufffd");
});

test.each([
  ["hangs", () => undefined, "No answer within 0.4 s", impatient],
  ["closes early", (socket: Socket) => socket.end(), "The connection was closed before an answer"],
  ["resets", (socket: Socket) => socket.resetAndDestroy(), "The connection was closed before an answer"],
  ["speaks another protocol", (socket: Socket) => socket.end("SSH-2.0-OpenSSH\r\n"), "Parse Error"],
  [
    "trickles its head",
    (socket: Socket) => {
      const timer = setInterval(() => socket.write("x"), 20);
      socket.once("close", () => clearInterval(timer));
      socket.write("HTTP/1.1 200 OK\r\nx-long: ");
    },
    "No answer within 0.4 s",
    impatient,
  ],
  [
    "redirects",
    (socket: Socket) => socket.end("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\n\r\n"),
    "redirects are not followed",
  ],
])("a receiver that %s is reported as failed with the reason", async (_, say, reason, options = patient) => {
  const answer = await post(`http://127.0.0.1:${await speak(say as (socket: Socket) => void)}/`, options);
  expect(answer.reason).toContain(reason);
});

test("an answer of 10 MB is not read to its end, and its first 2,000 characters are kept", async () => {
  let written = 0;
  const port = await speak((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10485760\r\n\r\n");
    const more = () => {
      while (written < 10_485_760 && socket.writable) {
        written += 65_536;
        if (!socket.write(Buffer.alloc(65_536, "x"))) return void socket.once("drain", more);
      }
    };
    more();
  });
  const answer = await post(`http://127.0.0.1:${port}/`);
  expect(answer).toMatchObject({ status: 200, reason: null });
  expect(answer.answer).toHaveLength(2_000);
  expect(written).toBeLessThan(10_485_760);
});

test("a status is enough: the deadline is not waited for when the body never ends", async () => {
  const port = await speak((socket) => void socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nso far"));
  const answer = await post(`http://127.0.0.1:${port}/`, { deadlineMs: 600_000 }); // longer than a test may take
  expect(answer).toMatchObject({ status: 200, reason: null, answer: "so far" });
});

test("a TLS handshake that is not answered fails at the deadline", async () => {
  const port = await listen(createServer(() => undefined));
  expect((await post(`https://127.0.0.1:${port}/`, impatient)).reason).toBe("No answer within 0.4 s");
});

test("a certificate that is not trusted fails the request, a trusted one does not", async () => {
  const [cert, key] = ["certificate.pem", "key.pem"].map((name) =>
    readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url), "utf8"),
  );
  const port = await listen(createHttpsServer({ cert, key }, (_, response) => response.end("ok")));
  const lookUp = async () => ["127.0.0.1"];
  expect((await post(`https://localhost:${port}/`, { lookUp })).reason).toMatch(/certificate/i);
  expect(await post(`https://localhost:${port}/`, { lookUp, ca: cert ?? "" })).toMatchObject({
    status: 200,
    answer: "ok",
  });
});

test.each([
  [["127.0.0.1"], "loopback"],
  [["::ffff:169.254.169.254"], "link-local"],
  [["10.1.2.3", "192.168.0.1"], "private"],
  [["64:ff9b::7f00:1"], "not a public address"],
])("nothing is sent to a name that resolves to %s", async (addresses, reason) => {
  const asked: (number | undefined)[] = [];
  const server = createServer(({ remotePort }) => void asked.push(remotePort));
  const port = await listen(server);
  const answer = await post(`https://erp.example.com:${port}/`, { lookUp: async () => addresses }, { allowPrivate: false });
  expect(answer.reason).toContain("Not sent: ");
  expect(answer.reason).toContain(reason);
  const later = connect(port, "127.0.0.1"); // a server takes connections in the order in which they were made
  await once(later, "connect");
  await eventually(() => asked.includes(later.localPort), "the later connection");
  expect(asked).toEqual([later.localPort]);
  later.destroy();
});

test("the connected socket's address is checked too, before anything is written to it", async () => {
  let [connections, bytes, ends] = [0, 0, 0];
  const server = createServer((socket) => {
    connections += 1;
    socket.on("data", (chunk) => (bytes += chunk.length));
    socket.once("close", () => (ends += 1));
  });
  const port = await listen(server);
  // The first check, of the looked-up address, allows it. The second check, of the connected socket, finds the loopback address.
  let looks = 0;
  const answer = await createPost({ ...patient, lookUp: async () => ["127.0.0.1"] })({
    url: `http://erp.example.com:${port}/`,
    headers: {},
    body: "{}",
    refusalReason: (address) => (++looks === 1 ? undefined : addressRefusal(address, "http:", { allowPrivate: false })),
    signal: new AbortController().signal,
  });
  expect(answer.reason).toBe("Not sent: 127.0.0.1 is a loopback address");
  await eventually(() => ends > 0, "the connection's end, which comes after all that was written");
  expect({ connections, bytes }).toEqual({ connections: 1, bytes: 0 });
});

test("the reason says that a name has no address, or that the connection was refused", async () => {
  const port = await speak(() => undefined);
  await closing.pop()?.();
  expect((await post(`http://127.0.0.1:${port}/`)).reason).toBe("The connection was refused");
  expect((await post("https://erp.example.com/", { lookUp: async () => [] })).reason).toBe("Its name has no address");
});

test("a process that is blocked until after the deadline does not send the request afterwards", async () => {
  let heard = 0;
  const port = await speak((socket) => {
    heard += 1;
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  });
  const url = `http://127.0.0.1:${port}/`;
  let looks = 0;
  const refusalReason = () => {
    looks += 1;
    // The second check is of the connected socket: block the process there.
    for (const end = performance.now() + (looks === 2 ? 300 : 0); performance.now() < end; );
    return undefined;
  };
  const answer = await createPost({ deadlineMs: 200 })({
    url,
    headers: {},
    body: "{}",
    refusalReason,
    signal: new AbortController().signal,
  });
  expect(answer).toMatchObject({ status: null, reason: "No answer within 0.2 s" });
  expect(await post(url)).toMatchObject({ status: 200 });
  expect(heard).toBe(1);
});
