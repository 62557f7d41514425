import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The responses that have not ended yet, so that whoever stops the server can speak to them. */
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

/** Node closes only the response whose turn it was: pipelined ones behind it would be kept, with all they hold, for ever. */
function closeWaiting(responses: ReadonlySet<ServerResponse>): void {
  for (const outgoing of [...responses]) {
    if (outgoing.socket !== null) continue; // its turn: Node tells it
    outgoing.destroy();
    outgoing.emit("close");
  }
}
