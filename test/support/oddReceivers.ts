// Receivers of webhooks that do what no receiver does: each gets a connection and treats it in its own way.
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

/** What becomes of an attempt: the status that counts, or words of the reason. */
export interface OddReceiver {
  readonly treat: (socket: Socket) => void;
  readonly status?: number;
  readonly reason?: RegExp;
  /** The receiver speaks TLS, or ought to. */
  readonly isTls?: true;
}

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), "utf8");
const noAnswer = /^No answer within/;
const closed = /^The connection was closed before an answer/;
const ok = "HTTP/1.1 200 OK\r\n";

/** Does something when the first bytes of the request have come. */
const whenAsked = (act: (socket: Socket) => void) => (socket: Socket) => void socket.once("data", () => act(socket));
const says = (text: string | Buffer) => whenAsked((socket) => void socket.write(text));
const ends = (text: string | Buffer) => whenAsked((socket) => void socket.end(text));

/** Writes `first`, and then `again` every few milliseconds until the other side has gone. */
const repeats = (first: string, again: string) =>
  whenAsked((socket) => {
    socket.write(first);
    const timer = setInterval(() => (socket.writable ? socket.write(again) : clearInterval(timer)), 10);
    for (const event of ["close", "end", "error"]) socket.once(event, () => clearInterval(timer));
  });

/** Writes `text` for as long as the other side reads it. */
const floods = (first: string, text: string) =>
  whenAsked((socket) => {
    socket.write(first);
    const more = () => void (socket.writable && socket.write(text, (error) => error ?? setImmediate(more)));
    more();
  });

const behindTls = (certificate: string, treat: (socket: Socket) => void) => (socket: Socket) => {
  const gone = () => void socket.destroy();
  const server = createTlsServer({ cert: fixture(certificate), key: fixture("key.pem") }, (secured) => {
    secured.on("error", gone).once("close", gone).resume();
    treat(secured);
  });
  server.on("tlsClientError", gone).emit("connection", socket);
};

export const oddReceivers: Readonly<Record<string, OddReceiver>> = {
  "accepts and is silent": { treat: () => undefined, reason: noAnswer },
  "reads nothing": { treat: (socket) => void socket.pause(), reason: noAnswer },
  "closes at once": { treat: (socket) => void socket.end(), reason: closed },
  "resets at once": { treat: (socket) => void socket.resetAndDestroy(), reason: closed },
  "closes its half and reads on": { treat: whenAsked((socket) => void socket.end()), reason: closed },
  "answers before it is asked": { treat: (socket) => void socket.write(`${ok}content-length: 0\r\n\r\n`) },
  "switches protocols": { treat: says("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"), status: 101 },
  "answers 101 alone": { treat: says("HTTP/1.1 101 Switching Protocols\r\n\r\n"), reason: /101|closed before an answer/ },
  "answers 101 and closes": { treat: ends("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"), status: 101 },
  "answers 101 and goes on": { treat: repeats("HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "more"), status: 101 },
  "answers 200 and asks for an upgrade": { treat: ends(`${ok}upgrade: h2c\r\nconnection: upgrade\r\n\r\n`), status: 200 },
  "answers 100 and no more": { treat: says("HTTP/1.1 100 Continue\r\n\r\n"), reason: noAnswer },
  "answers 103 again and again": { treat: repeats("", "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"), reason: /./ },
  "floods with 102": { treat: floods("", "HTTP/1.1 102 Processing\r\n\r\n".repeat(100)), reason: /interim answers/ },
  "floods with 100": { treat: floods("", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100)), reason: /interim answers/ },
  "answers 100, then 204": { treat: ends("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"), status: 204 },
  "answers 204 with a body": { treat: ends("HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello"), status: 204 },
  "answers 304": { treat: ends("HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n"), status: 304 },
  "answers twice": { treat: ends(`${ok}content-length: 2\r\n\r\nok`.repeat(2)), status: 200 },
  "answers 200, then garbage": { treat: ends(`${ok}content-length: 2\r\n\r\nok\0\x01\x02 what`), status: 200 },
  "answers with status 999": { treat: ends("HTTP/1.1 999 Who Knows\r\ncontent-length: 0\r\n\r\n"), status: 999 },
  "answers with status 000": { treat: ends("HTTP/1.1 000 Nothing\r\ncontent-length: 0\r\n\r\n"), reason: /./ },
  "answers without a length and stays": { treat: says(`${ok}\r\nso far`), status: 200 },
  "announces more than it sends": { treat: ends(`${ok}content-length: 100\r\n\r\nso far`), status: 200 },
  "announces two lengths": { treat: ends(`${ok}content-length: 2\r\ncontent-length: 3\r\n\r\nok`), reason: /Parse Error/ },
  "announces a length below zero": { treat: ends(`${ok}content-length: -1\r\n\r\nok`), reason: /Parse Error/ },
  "never ends its chunks": { treat: repeats(`${ok}transfer-encoding: chunked\r\n\r\n`, "1\r\nx\r\n"), status: 200 },
  "sends a chunk without a size": { treat: ends(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\nx\r\n`), status: 200 },
  "sends a chunk of 2^63 bytes": { treat: says(`${ok}transfer-encoding: chunked\r\n\r\n7fffffffffffffff\r\nx`), status: 200 },
  "sends trailers": {
    treat: ends(`${ok}transfer-encoding: chunked\r\ntrailer: x\r\n\r\n2\r\nok\r\n0\r\nx: y\r\n\r\n`),
    status: 200,
  },
  "never ends its trailers": { treat: repeats(`${ok}transfer-encoding: chunked\r\n\r\n0\r\n`, "x: y\r\n"), status: 200 },
  "floods with its body": { treat: floods(`${ok}\r\n`, "x".repeat(65_536)), status: 200 },
  "claims to be compressed": { treat: ends(`${ok}content-encoding: gzip\r\ncontent-length: 4\r\n\r\nnope`), status: 200 },
  "trickles its head": { treat: repeats(`${ok}x-long: `, "x"), reason: noAnswer },
  "trickles header lines": { treat: repeats(ok, "x: y\r\n"), reason: /./ },
  "has a head of a megabyte": { treat: floods(ok, `x: ${"y".repeat(60_000)}\r\n`), reason: /Parse Error|overflow/i },
  "has a status line without end": { treat: floods("HTTP/1.1 200 ", "O".repeat(65_536)), reason: /Parse Error|overflow|No answer/i },
  "speaks another protocol": { treat: ends("SSH-2.0-OpenSSH_9.6\r\n"), reason: /Parse Error/ },
  "speaks HTTP/2": { treat: says(Buffer.from("000012040000000000000300000064000400100000", "hex")), reason: /Parse Error/ },
  "speaks HTTP/0.9": { treat: ends("<h1>hello</h1>"), reason: /Parse Error/ },
  "sends zeros": { treat: floods("", "\0".repeat(65_536)), reason: /Parse Error/ },
  "does not shake hands": { treat: () => undefined, reason: noAnswer, isTls: true },
  "trickles its handshake": { treat: repeats("\x16\x03\x03\x40\0", "\x02"), reason: noAnswer, isTls: true },
  "closes during the handshake": { treat: whenAsked((socket) => void socket.end()), reason: /./, isTls: true },
  "answers the handshake in plain HTTP": { treat: ends(`${ok}content-length: 0\r\n\r\n`), reason: /./, isTls: true },
  "has a certificate that has expired": { treat: behindTls("expired.pem", () => undefined), reason: /certificate/i, isTls: true },
  "has a certificate of its own making": { treat: behindTls("certificate.pem", () => undefined), reason: /certificate/i, isTls: true },
};

/** Receivers that are trusted and then are silent, or answer 101, behind TLS. `ca` is to be trusted for them. */
export const oddBehindTls: Readonly<Record<string, OddReceiver>> = {
  "is silent after the handshake": { treat: behindTls("certificate.pem", () => undefined), reason: noAnswer, isTls: true },
  "closes after the handshake": { treat: behindTls("certificate.pem", (socket) => void socket.end()), reason: closed, isTls: true },
  "switches protocols behind TLS": {
    treat: behindTls("certificate.pem", says("HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n")),
    status: 101,
    isTls: true,
  },
};
export const trusted = fixture("certificate.pem");
