// The database is dropped and created anew, or its schema is, while the roles run and customers call. Every answer is collected.
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { useCommandLine } from "../support/commandLine.js";
import { until } from "../support/processes.js";
import { createTestDatabase } from "../support/stores/postgres.js";
import { ask, type Customer, newPush, push, statusPath } from "./callers/customer.js";
import { randomSubmission, type Submission } from "./callers/submissions.js";
import { type Listener, listen, stopListening, toldByTheLog } from "./callers/webhookReceivers.js";
import { type Role, type SeparateRoles, signingSecret, startRole, startSeparateRoles } from "./machines/separateRoles.js";
import { seeded } from "./randomness.js";
import { everything, reckon, untilEnded } from "./reckoning.js";
import { firstSeed } from "./scale.js";

const command = useCommandLine();
const random = seeded(firstSeed);
let roles: SeparateRoles;
let customer: Customer;
let listener: Listener;
/** Reads whose answers are known: what they list is never empty, and what they name is there. */
let reads: readonly string[];

beforeAll(async () => {
  roles = await startSeparateRoles({ sharedServer: true, fileObjects: true, environment: { WEBHOOK_PRIVATE: "on" } });
  customer = await roles.newCustomer();
  listener = await listen(roles, customer, signingSecret);
  const [shipments, activities] = [await pushed("shipments"), await pushed("activities")];
  await untilEnded(roles.url, customer);
  const priced = async () => {
    const quote = await ask(roles.url, customer.key, "/v1/org/quote/getQuote", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        ...{ general: { customerIds: ["CUST-001"] }, origin: { postalCode: "2000" }, destination: { postalCode: "3000" } },
        items: [{ quantity: 1, length: 0.5, width: 0.4, height: 0.4, weight: 30 }],
      }),
    });
    return /"quoteId":"([^"]+)"/.exec((await quote?.text()) ?? "")?.[1];
  };
  let quoteId: string | undefined;
  await until("a quote is priced, which a busy service may refuse at first", async () => {
    quoteId = await priced();
    return quoteId !== undefined;
  });
  const ledger = await everything<{ shipmentId: string }>(roles.url, customer.key, "/v1/org/ledger/shipments");
  reads = [
    ...["/v1/org/ledger/shipments", "/v1/org/ledger/activities", "/v1/org/shipments/imports", "/v1/org/fulfilment/imports"],
    ...[statusPath(shipments.submission, shipments.importId ?? ""), statusPath(activities.submission, activities.importId ?? "")],
    ...[`/v1/org/ledger/shipments/${ledger[0]?.shipmentId}`, `/v1/org/quote/getQuote/${quoteId}`, "/v1/org/quotes"],
  ];
});
afterAll(async () => {
  await stopListening();
  await roles?.close();
});

async function pushed(kind: Submission["kind"]) {
  for (;;) {
    const sent = newPush(oneOf(kind));
    customer.sent.push(sent);
    if ((await push(roles.url, customer.key, sent))?.status === 202) return sent;
    await pause(100);
  }
}

/** A random submission of this kind. */
function oneOf(kind: Submission["kind"]): Submission {
  for (;;) {
    const submission = randomSubmission(random);
    if (submission.kind === kind && submission[kind].length > 0) return submission;
  }
}

/** An answer that no customer may get, in words. */
async function faultOf(path: string, answer: Response | undefined): Promise<string | undefined> {
  if (!answer) return `${path}: no answer`;
  const body = await answer.text();
  if (answer.status === 503) return answer.headers.get("retry-after") ? undefined : `${path}: 503 without Retry-After`;
  if (answer.status !== 200) return `${path}: ${answer.status} ${body}`;
  return /^\{"items":\[\]/.test(body) ? `${path}: an empty list` : undefined;
}

/** Reads and pushes until `enough`, and returns the answers that nobody may get. */
async function keepCalling(url: string, enough: AbortSignal): Promise<{ faults: Set<string>; statuses: Map<number, number> }> {
  const faults = new Set<string>();
  const statuses = new Map<number, number>();
  const count = (status = 0) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const reader = async (path: string) => {
    while (!enough.aborted) {
      const answer = await ask(url, customer.key, path);
      const fault = await faultOf(path, answer);
      count(answer?.status);
      if (fault) faults.add(fault);
      await pause(100);
    }
  };
  const pusher = async () => {
    for (const kind of alternating()) {
      if (enough.aborted) return;
      const sent = newPush(oneOf(kind), crypto.randomUUID());
      customer.sent.push(sent);
      const status = (await push(url, customer.key, sent))?.status;
      if (status !== 202 && status !== 503) faults.add(`a push: ${status}`);
      await pause(200);
    }
  };
  await Promise.all([...reads.map(reader), pusher()]);
  return { faults, statuses };
}

function* alternating(): Generator<Submission["kind"]> {
  for (;;) yield* ["shipments", "activities"] as const;
}

const isServed = async (url: string) => {
  const answers = await Promise.all(reads.map((path) => ask(url, customer.key, path)));
  await Promise.all(answers.map((answer) => answer?.text()));
  return answers.every((answer) => answer?.status === 200);
};

const isReady = async (url: string) => (await fetch(`${url}/readyz`)).status === 200;

async function asAdministrator(...statements: string[]): Promise<void> {
  const url = new URL(roles.databaseUrl);
  url.pathname = "/postgres";
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const ways = {
  "the database is dropped and created anew": async () => {
    const name = new URL(roles.databaseUrl).pathname.slice(1);
    await asAdministrator(`drop database ${name} with (force)`);
    await pause(500); // a moment in which there is none
    await asAdministrator(`create database ${name} template template0`);
  },
  "the schema is dropped with all tables, and the record of the migrations stays": async () => {
    await roles.pool.query("drop schema public cascade; create schema public");
  },
  "one table of a projection and the queue are dropped": async () => {
    await roles.pool.query("drop table shipments, import_queue");
  },
};

/** What the roles have logged since then. */
const saidSince = (logged: readonly number[]) => roles.processes.map((role, index) => role.log().slice(logged[index])).join("");

describe.each(Object.entries(ways))("%s", (_, lose) => {
  test("nobody is told anything untrue meanwhile, the roles bring everything back by themselves, and nothing is lost", {
    timeout: 240_000,
  }, async () => {
    const enough = new AbortController();
    onTestFinished(() => enough.abort());
    const calling = keepCalling(roles.url, enough.signal);
    const logged = roles.processes.map((role) => role.log().length);
    await lose();
    // By the log: a look at the answers may come too early and then too late. The projector may be the first to look, and creates all tables.
    await until("a role notices the loss", async () => /has lost its tables|tables are missing/.test(saidSince(logged)));
    await until("everything is served", async () => (await isServed(roles.url)) && (await isReady(roles.url)));
    enough.abort();
    const { faults, statuses } = await calling;
    expect([...faults]).toEqual([]);
    expect(statuses.get(503)).toBeGreaterThan(0);
    expect(saidSince(logged).match(/"msg":"request failed"/g)).toBeNull();
    await reckon(roles.url, customer, await untilEnded(roles.url, customer), roles.eventStore);
    await expectAuditToAgree(roles.environment);
    await everythingIsTold();
  });
});

/** The import may have ended while other tables are still being filled: then the audit says that it cannot be made yet. */
async function expectAuditToAgree(environment: Parameters<typeof command>[1]): Promise<void> {
  const audit = () => command(["audit", "verify"], environment);
  let audited = await audit();
  for (let tries = 0; tries < 20 && /stand at different positions|have not been built yet/.test(audited.stderr); tries += 1) {
    await pause(500);
    audited = await audit();
  }
  expect(audited.code, `${audited.stdout}${audited.stderr}`).toBe(0);
}

/** Every event was told, and each under one webhook-id only. */
async function everythingIsTold(): Promise<void> {
  const told = (await toldByTheLog(roles.eventStore)).get(customer.organisationId) ?? new Map();
  const ids = [...told.values()].flat().map(({ id }) => id);
  const heard = () => new Set(listener.receiver.got.map(({ id }) => id));
  await until("every event is told", async () => ids.every((id) => heard().has(id)));
  expect(heard()).toEqual(new Set(ids));
}

test("on a new database beside a full event store the API answers 503 until the projector has filled the tables", {
  timeout: 240_000,
}, async () => {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(database.close);
  const start = async (role: Role) => {
    const started = await startRole(role, { ...roles.environment, DATABASE_URL: database.url });
    onTestFinished(started.stop);
    return started;
  };
  await Promise.all(roles.processes.map((role) => role.stop()));
  const { url } = await start("api");
  for (const path of reads) expect(await ask(url, customer.key, path)).toMatchObject({ status: 503 });
  const signedIn = { headers: { cookie: `waybill=${"a".repeat(43)}` }, redirect: "manual" } as const;
  expect(await fetch(`${url}/portal`, signedIn)).toMatchObject({ status: 503 });
  expect(await isReady(url)).toBe(false);
  expect(await command(["keys", "list", "--org", customer.organisationId], { ...roles.environment, DATABASE_URL: database.url })).toEqual({
    ...{ code: 1, stdout: "" },
    stderr: expect.stringMatching(/^The database does not have all of its tables\. .*`projections rebuild`.*\n$/),
  });
  const enough = new AbortController();
  onTestFinished(() => enough.abort());
  const calling = keepCalling(url, enough.signal);
  await Promise.all([start("worker"), start("projector")]);
  await until("everything is served", async () => (await isServed(url)) && (await isReady(url)));
  enough.abort();
  expect([...(await calling).faults]).toEqual([]);
  await reckon(url, customer, await untilEnded(url, customer), roles.eventStore);
  await expectAuditToAgree({ ...roles.environment, DATABASE_URL: database.url });
});
