// Reads of one organisation beside those of another: who gets a connection to the database, and for how long.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { openSource } from "../../support/portal/eventSource.js";
import { addMember, signedIn } from "../../support/portal/portal.js";
import { startTestService, type TestService } from "../../support/service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

const totals = "/v1/org/ledger/activities/totals";

/** Blocks every statement that reads totals until the test ends. */
async function blockTotals(): Promise<void> {
  const client = await service.pool.connect();
  await client.query("begin; lock table activity_groups in access exclusive mode");
  onTestFinished(async () => {
    await client.query("rollback");
    client.release();
  });
}

async function blocked(): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%activity_groups%'`,
  );
  return rows[0]?.count ?? 0;
}

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

test("an organisation whose statements are stuck has four of them, others are served, and what it leaves is cancelled", async () => {
  const [noisy, quiet] = [await service.organisation(), await service.organisation()];
  const viewer = await signedIn(service, await addMember(service, noisy.id, "viewer"));
  const neighbour = await signedIn(service, await addMember(service, quiet.id, "viewer"));
  await blockTotals();
  const leaving = new AbortController();
  const headers = { "x-api-key": noisy.key };
  const left = Array.from({ length: 20 }, (_, n) =>
    n % 2 === 0
      ? fetch(`${service.url}${totals}`, { headers, signal: leaving.signal })
      : fetch(`${service.url}/portal/activities`, { headers: { cookie: cookieOf(viewer) }, signal: leaving.signal }),
  ).map((answer) =>
    answer.then(
      () => "answered",
      () => "left",
    ),
  );
  await eventually(async () => (await blocked()) === 4, "four blocked statements");
  // The noisy organisation's line is full of work; the other's answers come while it is.
  for (const path of ["/v1/org/quotes", "/v1/org/ledger/shipments", "/v1/org/shipments/imports"])
    expect((await quiet.get(path)).status).toBe(200);
  for (const path of ["/portal/imports", "/portal/shipments"]) expect((await neighbour.get(path)).status).toBe(200);
  expect(await blocked()).toBeLessThanOrEqual(4);
  leaving.abort();
  await Promise.all(left);
  await eventually(async () => (await blocked()) === 0, "no statement of those who left"); // the lock is still held
  const places = await Promise.all(Array.from({ length: 8 }, () => noisy.get("/v1/org/quotes")));
  expect(places.map(({ status }) => status)).toEqual(places.map(() => 200));
});

test("a request that is answered at its deadline leaves no statement behind", async () => {
  const organisation = await service.organisation();
  await blockTotals();
  const answer = await organisation.get(totals);
  expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([503, true]);
  await eventually(async () => (await blocked()) === 0, "no statement");
});

const cookieOf = ({ cookies }: { cookies: ReadonlyMap<string, string> }) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
