// Two API processes and two workers, of which one has a clock an hour ahead and the other an hour behind: nothing may depend on their clocks.
// Also workers that are frozen for longer than their lease.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { signLink } from "../../src/adapters/objectStore/objectKeys.js";
import { kill, until } from "../support/processes.js";
import { ask, type Customer, newPush, push, statusPath } from "./callers/customer.js";
import type { Submission } from "./callers/submissions.js";
import { type SeparateRoles, signingSecret, startSeparateRoles } from "./machines/separateRoles.js";
import { type Randomness, seeded } from "./randomness.js";
import { everything, reckon, type Shown, untilEnded } from "./reckoning.js";
import { firstSeed, long } from "./scale.js";

let roles: SeparateRoles;
let ahead: string;
let behind: string;
let random: Randomness;

beforeAll(async () => {
  random = seeded(firstSeed);
  roles = await startSeparateRoles({
    roles: [
      ["api", 1],
      ["api", -1],
      ["worker", 1],
      ["worker", -1],
      ["projector", 1],
    ],
    fileObjects: true,
    sharedServer: true,
  });
  [ahead = "", behind = ""] = roles.processes.filter(({ role }) => role === "api").map(({ url }) => url);
});
afterAll(() => roles?.close());

const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };

function activities(count: number): Submission {
  const list = Array.from({ length: count }, (_, index) => ({
    ...activity,
    ...(index % 50 === 0 ? { customerId: "CUST-999" } : {}),
    reference: `r${index}`,
  }));
  return { kind: "activities", lane: "file", shipments: [], activities: list };
}

async function pushed(url: string, customer: Customer, submission: Submission, idempotencyKey?: string): Promise<string> {
  const sent = newPush(submission, idempotencyKey);
  customer.sent.push(sent);
  expect((await push(url, customer.key, sent))?.status).toBe(202);
  return sent.importId ?? "";
}

const databaseNow = async () => (await roles.pool.query<{ now: Date }>("select now()")).rows[0]?.now.getTime() ?? 0;

test("clocks an hour ahead or behind change neither the order of imports, nor their times, nor idempotency, nor the rate limit", async () => {
  const customer = await roles.newCustomer();
  const began = await databaseNow();
  const ids: string[] = [];
  for (const url of [ahead, behind, behind, ahead]) ids.push(await pushed(url, customer, activities(60)));
  const shown = await untilEnded(behind, customer);
  const ended = await databaseNow();
  const listed = await everything<Shown & Record<"submittedAt" | "startedAt" | "finishedAt", string>>(
    ahead,
    customer.key,
    "/v1/org/fulfilment/imports",
  );
  expect(listed.map(({ importId }) => importId)).toEqual(ids.toReversed());
  for (const { submittedAt, startedAt, finishedAt } of listed) {
    const times = [began, Date.parse(submittedAt), Date.parse(startedAt), Date.parse(finishedAt), ended + 1_000];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  }
  await reckon(ahead, customer, shown, roles.eventStore);

  const key = randomUUID();
  const sent = newPush(activities(1), key);
  // Push throws if it becomes a second import.
  for (const url of [ahead, behind, ahead]) expect((await push(url, customer.key, sent))?.status).toBe(202);

  const fresh = await roles.newCustomer(); // a new key, whose minute of the rate limit begins with the first of these requests
  const remaining: number[] = [];
  for (const url of [ahead, behind, ahead, behind]) {
    const answer = await ask(url, fresh.key, "/v1/org/ledger/shipments");
    remaining.push(Number(answer?.headers.get("ratelimit-remaining")));
    expect(Number(answer?.headers.get("ratelimit-reset"))).toBeLessThanOrEqual(60);
    await answer?.text();
  }
  expect(remaining).toEqual(remaining.map((_, index) => (remaining[0] ?? 0) - index));
});

test("a link lasts its hour by the database's clock, whichever API process made it and whichever serves it", async () => {
  const customer = await roles.newCustomer();
  const importId = await pushed(ahead, customer, activities(60));
  await untilEnded(ahead, customer);
  const opens = async (url: string, link: string) => {
    const { pathname, search } = new URL(link);
    const answer = await fetch(`${url}${pathname}${search}`);
    await answer.arrayBuffer();
    return answer.status;
  };
  for (const maker of [ahead, behind]) {
    const status = await ask(maker, customer.key, statusPath(activities(1), importId));
    const { errorReportUrl } = JSON.parse((await status?.text()) ?? "{}") as { errorReportUrl: string };
    const expires = Number(new URL(errorReportUrl).searchParams.get("expires")) * 1000;
    expect(Math.abs(expires - (await databaseNow()) - 3_600_000)).toBeLessThan(60_000);
    expect([await opens(ahead, errorReportUrl), await opens(behind, errorReportUrl)]).toEqual([200, 200]);
  }
  const { rows } = await roles.pool.query<{ key: string }>("select report_key as key from imports where import_id = $1", [importId]);
  const now = Math.floor((await databaseNow()) / 1000);
  for (const [seconds, status] of [
    [-10, 403],
    [600, 200],
  ] as const) {
    const link = signLink(signingSecret, "http://x", rows[0]?.key ?? "", "report.xlsx", now + seconds);
    expect([await opens(ahead, link), await opens(behind, link)]).toEqual([status, status]);
  }
});

/** The worker process that has an organisation's turn, if one has. */
async function holderOf({ organisationId }: Customer): Promise<number | undefined> {
  const { rows } = await roles.pool.query<{ worker: string | null }>(
    "select worker from organisation_turns where organisation_id = $1 and expires_at > now()",
    [organisationId],
  );
  const pid = Number(/-(\d+)-[0-9a-f]+#\d+$/.exec(rows[0]?.worker ?? "")?.[1]);
  return roles.processes.find((process) => process.pid === pid)?.pid;
}

test("when a worker is frozen past its lease and thawed later, another worker goes on, no imports overlap, and no row is recorded twice", {
  timeout: 3_600_000,
}, async () => {
  const customer = await roles.newCustomer();
  for (let round = 0; round < (long ? 100 : 2); round += 1) {
    const ids = [await pushed(ahead, customer, activities(long ? 5_000 : 3_000)), await pushed(behind, customer, activities(200))];
    let frozen = 0;
    await until("a worker has the turn", async () => {
      frozen = (await holderOf(customer)) ?? 0;
      return frozen > 0;
    });
    await pause(random.number(400));
    kill(frozen, "SIGSTOP");
    try {
      // In the long form every tenth round waits until the lease ends by itself, after ten seconds.
      if (!(long && round % 10 === 0)) {
        await roles.pool.query("update organisation_turns set expires_at = now() where organisation_id = $1", [customer.organisationId]);
      }
      const waitFor = ids[random.number(2)];
      await until("another worker has gone on", async () => endedInStream(waitFor ?? ""));
    } finally {
      kill(frozen, "SIGCONT");
    }
    await untilEnded(ahead, customer);
  }
  const shown = await untilEnded(ahead, customer);
  expect(new Set(shown.map(({ status }) => status))).toEqual(new Set(["completed"]));
  await reckon(behind, customer, shown, roles.eventStore);
  let last = 0n;
  for (const { importId } of customer.sent) {
    const positions: bigint[] = [];
    for await (const event of roles.eventStore.read(`import-${importId}`, { from: 1n })) positions.push(event.position.commit);
    expect((positions[0] ?? 0n) > last, "two imports of one organisation overlap").toBe(true);
    last = positions.at(-1) ?? 0n;
  }
});

const endedInStream = async (importId: string) => (await roles.eventStore.last(`import-${importId}`))?.type === "ImportCompleted";
