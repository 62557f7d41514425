// A receiver of webhooks on loopback: verifies what it gets with the published library, and answers as the test wants.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Webhook } from "standardwebhooks";

export interface Received {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown> & { readonly importId?: string };
  readonly body: string;
  readonly headers: IncomingMessage["headers"];
  readonly at: number;
}

/** Returns true when it ends the response itself, now or later. Otherwise the receiver ends it. */
export type Answer = (got: Received, response: ServerResponse) => boolean | undefined;

export interface Receiver {
  readonly url: string;
  /** Everything that came, in order. For each request whose signature is wrong, `forged` has the error. */
  readonly got: Received[];
  readonly forged: string[];
  secret: string;
  answer: Answer;
  close(): Promise<void>;
}

export async function startReceiver(answer: Answer = () => undefined): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const receiver: Omit<Receiver, "url" | "close"> & { secret: string; answer: Answer } = { got: [], forged: [], secret: "", answer };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => undefined);
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString("utf8");
      const { "webhook-id": id = "" } = request.headers;
      try {
        if (receiver.secret !== "") new Webhook(receiver.secret).verify(body, request.headers as Record<string, string>);
      } catch (error) {
        receiver.forged.push(String(error));
      }
      const got: Received = { id: String(id), ...JSON.parse(body), body, headers: request.headers, at: performance.now() };
      receiver.got.push(got);
      if (!receiver.answer(got, response)) response.end("thank you");
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((settle) => server.close(settle));
    },
  });
}
