import { readFile } from "node:fs/promises";
import { createSecureServer, createServer, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { connectEventStore } from "../../../src/adapters/eventStore/connect.js";

const servers: Http2Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function listen(server: Http2Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((settle) => server.listen(0, "127.0.0.1", settle));
  return (server.address() as AddressInfo).port;
}

const secure = async () => {
  const [key, cert] = await Promise.all(["key.pem", "certificate.pem"].map((name) => readFile(`test/fixtures/tls/${name}`)));
  return createSecureServer({ key, cert });
};

test.each([
  ["a certificate that is not trusted", secure, "self-signed certificate"],
  ["an end that speaks no TLS", async () => createServer(), "TLS: wrong version number"],
])("%s is reported as a misconfigured event store, not as an outage", async (_, server, reason) => {
  const address = `esdb://127.0.0.1:${await listen(await server())}?tls=true`;
  const store = connectEventStore({ address, logger: pino({ level: "silent" }), deadlineMs: 5_000, attempts: 2 });
  onTestFinished(store.close);
  const message = expect.stringMatching(
    new RegExp(`^The event store cannot be used: ${reason}\\. Check the address and tls in EVENTSTORE_URL; .*NODE_EXTRA_CA_CERTS`),
  );
  const metadata = { organisation: "", actor: "test", $correlationId: "x", v: 1 };
  const events = [{ id: "01a1dd3b-948c-47d6-89c7-a44053ebeedc", type: "x", json: "{}", metadata }];
  for (const work of [() => store.ping(), () => store.last("waybill"), () => store.append("waybill", events, -1n)]) {
    await expect(work()).rejects.toMatchObject({ name: "StoreUnavailable", fault: "misconfigured", outcomeUnknown: false, message });
  }
});
