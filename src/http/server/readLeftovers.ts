import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Readable } from "node:stream";

const maxReadingMs = 30_000;
const maxBytes = 64 * 1024 ** 2;
/** The longest silence of a sender whose connection is about to be closed. */
const maxSilentMs = 5_000;

/**
 * Reads and drops the rest of a request after its answer, within limits. If the connection were closed instead, the answer would be lost:
 * a client that sends 50 MB with a wrong key would see a broken pipe instead of the reason.
 */
export function readLeftovers(incoming: IncomingMessage, outgoing: ServerResponse): void {
  // Runs before Node's own listener, which closes a connection that is not kept alive.
  outgoing.prependOnceListener("finish", () => {
    if (incoming.readableEnded || incoming.destroyed) return;
    if (!incoming.complete) readToTheEnd(incoming);
    incoming.resume();
  });
}

function readToTheEnd(incoming: IncomingMessage): void {
  const { socket } = incoming;
  incoming.removeAllListeners("data"); // a listener that keeps the chunks would keep all of them in memory
  discard(incoming, socket);
  closeAfterRequest(incoming, socket);
}

/** Reads and drops the rest of a connection whose bytes cannot be parsed, so that the sender still gets the answer. */
export function discardRest(socket: Socket): void {
  socket.removeAllListeners("data"); // removes Node's parser, which would fail again
  discard(socket, socket);
  socket.setTimeout(maxSilentMs, () => socket.destroy());
  socket.once("end", () => socket.destroy());
  socket.resume();
}

function discard(source: Readable, socket: Socket): void {
  let bytes = 0;
  const timer = setTimeout(() => socket.destroy(), maxReadingMs).unref();
  source.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) socket.destroy();
  });
  for (const event of ["end", "error", "close"]) source.once(event, () => clearTimeout(timer));
}

/**
 * For `Connection: close` and HTTP/1.0, where Node would close the socket with bytes left to read, which resets the connection. This ends
 * only our side, which completes the answer. The socket is closed when the request has been read, or its sender is silent.
 */
function closeAfterRequest(incoming: IncomingMessage, socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    socket.setTimeout(maxSilentMs, () => socket.destroy());
    incoming.once("end", () => socket.destroySoon());
  };
  incoming.once("end", () => {
    socket.destroySoon = Socket.prototype.destroySoon;
  });
}
