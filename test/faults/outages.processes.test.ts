import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../support/processes.js";
import { everyCase } from "../support/projects/everyCase.js";
import { ask, type Customer, newPush, push, type Sent, statusPath } from "./callers/customer.js";
import { randomSubmission, type Submission } from "./callers/submissions.js";
import { type SeparateRoles, type StoreName, startSeparateRoles } from "./machines/separateRoles.js";
import { type Randomness, seeded } from "./randomness.js";
import { reckon, type Shown, untilEnded } from "./reckoning.js";
import { firstSeed, long } from "./scale.js";

let roles: SeparateRoles;
let customer: Customer;
let random: Randomness;
let finished: Sent;

const tickMs = 10;
/** For how long in all this process was late. The proxies between the roles and the stores run in it, and stood still meanwhile. */
let lateMs = 0;
let ticking: NodeJS.Timeout;

beforeAll(async () => {
  let last = performance.now();
  ticking = setInterval(() => {
    lateMs += Math.max(0, performance.now() - last - 2 * tickMs);
    last = performance.now();
  }, tickMs);
  roles = await startSeparateRoles();
  customer = await roles.newCustomer();
  random = seeded(firstSeed);
  finished = await pushUntilTaken(large("activities"));
  await untilEnded(roles.url, customer);
});
afterAll(async () => {
  clearInterval(ticking);
  await roles?.close();
});

/** "Forgotten" and "held up" are like "black-holed", but no connection is cut afterwards: the bytes are lost, or come late. */
const ways = ["refused", "black-holed", "forgotten", "held up", "deaf", "slow", "cut in the middle of replies", "frozen"] as const;
type Way = (typeof ways)[number];
const stores: readonly StoreName[] = ["event store", "database", "object store"];
/** All cases in the long form; in the short form the three that take the longest to notice. */
const cases = long
  ? stores.flatMap((store) => ways.map((way) => [store, way] as const))
  : ([
      ["event store", "frozen"],
      ["database", "frozen"],
      ["object store", "black-holed"],
    ] as const);

const promisedMs = 5_000;

/**
 * Waits for the answer. The project `long` and the long form also check the time that the API itself logs for the request, minus the time in which the machine let neither the API nor this process run.
 * The rest does not depend on how fast or busy the machine is.
 */
async function answeredInTime(ask: () => Promise<Response | undefined>): Promise<Response | undefined> {
  if (!long && !everyCase) return ask();
  const stalledBefore = (await stalledMs()) + lateMs;
  const answer = await ask();
  const requestId = answer?.headers.get("x-request-id") ?? "";
  let line: { ms: number } | undefined;
  await until(`the API's line about ${requestId}, answered ${answer?.status}`, async () => {
    line = lineWith(`"requestId":"${requestId}"`, `"msg":"request"`);
    return line !== undefined;
  });
  expect((line?.ms ?? 0) - ((await stalledMs()) + lateMs - stalledBefore)).toBeLessThan(promisedMs);
  return answer;
}

const apiLog = () => roles.processes.find(({ role }) => role === "api")?.log() ?? "";

function lineWith<Line>(...texts: string[]): Line | undefined {
  const log = apiLog();
  const found = log
    .slice(0, log.lastIndexOf("\n"))
    .split("\n")
    .findLast((line) => texts.every((text) => line.includes(text)));
  return found === undefined ? undefined : (JSON.parse(found) as Line);
}

/** Waits for the API's next line about its stalls and returns its number. */
async function stalledMs(): Promise<number> {
  const said = apiLog().length;
  const line = () => (apiLog().lastIndexOf('{"stalledMs"') > said ? lineWith<{ stalledMs: number }>('{"stalledMs"') : undefined);
  await until("the API says how long it was stalled", async () => line() !== undefined);
  return line()?.stalledMs ?? 0;
}

async function strike(store: StoreName, way: Way): Promise<() => void> {
  if (way === "frozen") return roles.freeze(store);
  const proxy = roles.proxies[store];
  const kinds = {
    refused: "refuse",
    "black-holed": "blackHole",
    forgotten: "blackHole",
    "held up": "held",
    deaf: "deaf",
    "cut in the middle of replies": "cutReplies",
  } as const;
  if (way === "slow") proxy.set({ kind: "slow", bytesPerSecond: 200 });
  else proxy.set({ kind: kinds[way] });
  if (way === "refused") proxy.cut();
  return () => {
    proxy.set({ kind: "pass" });
    // The swallowed bytes never arrive: cutting the connections tells both sides.
    if (way !== "forgotten" && way !== "held up") proxy.cut();
  };
}

function large(kind: Submission["kind"]): Submission {
  const activity = { warehouseCode: "SYD1", chargeCode: "PICK", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" };
  const activities = Array.from({ length: 3_000 }, (_, index) => ({
    ...activity,
    ...(index % 100 === 0 ? { customerId: "CUST-999" } : {}),
    reference: `r${index}`,
  }));
  return { kind, lane: "file", shipments: [], activities };
}

async function pushUntilTaken(submission: Submission): Promise<Sent> {
  const sent = newPush(submission, crypto.randomUUID());
  customer.sent.push(sent);
  await until("the push is taken", async () => (await push(roles.url, customer.key, sent))?.status === 202);
  return sent;
}

async function pushIsAnswered(sent: Sent): Promise<void> {
  customer.sent.push(sent);
  const answer = await answeredInTime(() => push(roles.url, customer.key, sent));
  expect([202, 503]).toContain(answer?.status);
  if (answer?.status === 503) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
}

/** Reads that do not need the missing store are answered 200, and no read hangs. */
async function readsAreAnswered(away: StoreName): Promise<void> {
  const status = statusPath(finished.submission, finished.importId ?? "");
  for (const path of [status, `${status}/errors`, "/v1/org/ledger/shipments"]) {
    const answer = await answeredInTime(() => ask(roles.url, customer.key, path));
    expect(away === "database" ? [200, 503] : [200], path).toContain(answer?.status);
    await answer?.text();
  }
}

describe.each(cases)("%s %s", (store, way) => {
  test("pushes are answered 202 or 503 in time, reads go on, and afterwards everything continues by itself", {
    timeout: 240_000,
  }, async () => {
    const underWay = await pushUntilTaken(large("activities"));
    const lift = await strike(store, way);
    try {
      const pushes = [...new Array(4)].map(() => newPush(randomSubmission(random)));
      await Promise.all([...pushes.map(pushIsAnswered), pause(50).then(() => readsAreAnswered(store))]);
    } finally {
      lift();
    }
    const after = await pushUntilTaken(randomSubmission(random));
    const shown = await untilEnded(roles.url, customer);
    expect(statusOf(shown, underWay)).toBe("completed");
    expect(statusOf(shown, after)).toBe("completed");
    for (const sent of customer.sent) {
      if (sent.answers.every((answer) => answer === 503)) expect([undefined, "cancelled"]).toContain(statusOf(shown, sent));
    }
    await reckon(roles.url, customer, shown, roles.eventStore);
  });
});

const statusOf = (shown: readonly Shown[], { name }: Sent) => shown.find(({ sourceDetails }) => sourceDetails === name)?.status;
