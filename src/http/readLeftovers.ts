import type { IncomingMessage, ServerResponse } from "node:http";

const longestMs = 30_000;
const mostBytes = 64 * 1024 ** 2;

/**
 * Reads, after the answer, what its sender still sends, and throws it away: a connection that is closed meanwhile takes the answer with
 * it, and a sender of 50 MB whose key is wrong would see a broken pipe instead of why. Not for ever: so long, and so much.
 */
export function readLeftovers(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once("finish", () => {
    if (incoming.readableEnded || incoming.destroyed) return;
    let bytes = 0;
    const cutOff = () => incoming.socket.destroySoon();
    const timer = setTimeout(cutOff, longestMs).unref();
    incoming.removeAllListeners("data"); // nobody needs it any more, and whoever kept it would keep all of it
    incoming.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostBytes) cutOff();
    });
    for (const end of ["end", "error", "close"]) incoming.once(end, () => clearTimeout(timer));
    incoming.resume();
  });
}
