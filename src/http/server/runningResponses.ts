import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Tracks the responses that have not ended, so that a stopping server can close their connections. */
export function trackResponses() {
  const running = new Set<ServerResponse>();
  const bySocket = new WeakMap<Socket, Set<ServerResponse>>();

  function ofSocket(socket: Socket): Set<ServerResponse> {
    const known = bySocket.get(socket);
    if (known !== undefined) return known;
    const responses = new Set<ServerResponse>();
    bySocket.set(socket, responses);
    socket.once("close", () => closeWaiting(responses));
    return responses;
  }

  return {
    running: running as ReadonlySet<ServerResponse>,
    track(outgoing: ServerResponse, socket: Socket): void {
      const responses = ofSocket(socket);
      running.add(outgoing);
      responses.add(outgoing);
      outgoing.once("close", () => {
        running.delete(outgoing);
        responses.delete(outgoing);
      });
    },
  };
}

/** When a socket closes, Node closes only the response that is being sent. Pipelined responses behind it would stay in memory for ever. */
function closeWaiting(responses: ReadonlySet<ServerResponse>): void {
  for (const outgoing of [...responses]) {
    if (outgoing.socket !== null) continue; // being sent: Node closes it
    outgoing.destroy();
    outgoing.emit("close");
  }
}
