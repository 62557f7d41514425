import type { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Readable } from "node:stream";

const longestMs = 30_000;
const mostBytes = 64 * 1024 ** 2;
/** For a sender whose connection is to be closed and that neither sends nor leaves. */
const silentMs = 5_000;

/**
 * Reads, after the answer, what its sender still sends, and throws it away: a connection that is closed meanwhile takes the answer with
 * it, and a sender of 50 MB whose key is wrong would see a broken pipe instead of why. Not for ever: so long, and so much.
 */
export function readLeftovers(incoming: IncomingMessage, outgoing: ServerResponse): void {
  // Before Node's own listener, which closes the connection where it is not to be kept.
  outgoing.prependOnceListener("finish", () => {
    if (incoming.readableEnded || incoming.destroyed) return;
    if (!incoming.complete) readToTheEnd(incoming);
    incoming.resume();
  });
}

function readToTheEnd(incoming: IncomingMessage): void {
  const { socket } = incoming;
  incoming.removeAllListeners("data"); // nobody needs it any more, and whoever kept it would keep all of it
  discard(incoming, socket);
  closeAfter(incoming, socket);
}

/** For a connection whose requests make no sense any more: its sender, too, sees the answer that went out before our side was ended. */
export function discardRest(socket: Socket): void {
  socket.removeAllListeners("data"); // Node's parser, which would complain again
  discard(socket, socket);
  socket.setTimeout(silentMs, () => socket.destroy());
  socket.once("end", () => socket.destroy());
  socket.resume();
}

function discard(source: Readable, socket: Socket): void {
  let bytes = 0;
  const timer = setTimeout(() => socket.destroy(), longestMs).unref();
  source.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBytes) socket.destroy();
  });
  for (const end of ["end", "error", "close"]) source.once(end, () => clearTimeout(timer));
}

/**
 * `Connection: close`, and HTTP/1.0 as proxies speak it: Node would close the socket with bytes left to read, which resets the connection.
 * Instead our side is ended, which completes the answer, and the socket is closed once the request has been read or its sender is gone.
 */
function closeAfter(incoming: IncomingMessage, socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    socket.setTimeout(silentMs, () => socket.destroy());
    incoming.once("end", () => socket.destroySoon());
  };
  incoming.once("end", () => {
    socket.destroySoon = Socket.prototype.destroySoon;
  });
}
