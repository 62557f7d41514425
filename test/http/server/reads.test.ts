// Reads of one organisation beside those of another: who gets a connection to the database, and for how long.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSource } from "../../support/portal/eventSource.js";
import { addMember, signedIn } from "../../support/portal/portal.js";
import { startTestService, type TestService } from "../../support/service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

test("keys and sessions are looked up while all connections for other work are in use", async () => {
  const organisation = await service.organisation();
  const viewer = await signedIn(service, await addMember(service, organisation.id, "viewer"));
  const clients = await Promise.all(Array.from({ length: service.pool.options.max }, () => service.pool.connect()));
  try {
    expect((await organisation.post("/v1/org/quote/getQuote", "{")).status).toBe(400); // not 503
    const source = await openSource(viewer, "/portal/live/imports");
    expect(source.status).toBe(200);
    await source.close();
  } finally {
    for (const client of clients) client.release();
  }
});
