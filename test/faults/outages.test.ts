import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../support/processes.js";
import { ask, type Customer, newPush, push, type Sent, statusPath } from "./customer.js";
import { type Randomness, seeded } from "./randomness.js";
import { reckon, type Shown, untilSettled } from "./reckoning.js";
import { firstSeed, long } from "./scale.js";
import { type SeparateRoles, type StoreName, startSeparateRoles } from "./separateRoles.js";
import { randomSubmission, type Submission } from "./submissions.js";

let roles: SeparateRoles;
let customer: Customer;
let random: Randomness;
let finished: Sent;

beforeAll(async () => {
  roles = await startSeparateRoles();
  customer = await roles.newCustomer();
  random = seeded(firstSeed);
  finished = await pushUntilTaken(large("activities"));
  await untilSettled(roles.url, customer);
});
afterAll(() => roles?.close());

const ways = ["refused", "black-holed", "deaf", "slow", "cut in the middle of replies", "frozen"] as const;
type Way = (typeof ways)[number];
const stores: readonly StoreName[] = ["event store", "database", "object store"];
const all = stores.flatMap((store) => ways.map((way) => [store, way] as const));
/** The three that take the longest to notice; all of them in the long form. */
const cases = long
  ? all.filter(([store, way]) => store !== "object store" || way !== "frozen") // its server is this process: `deaf` is the same
  : ([
      ["event store", "frozen"],
      ["database", "frozen"],
      ["object store", "black-holed"],
    ] as const);

/** What the service promises is five seconds; a busy machine's own delays come on top of that. */
const longestAnswerMs = long ? 5_000 : 9_000;

async function strike(store: StoreName, way: Way): Promise<() => void> {
  if (way === "frozen" && store !== "object store") return roles.freeze(store);
  const proxy = roles.proxies[store];
  const kinds = {
    refused: "refuse",
    "black-holed": "blackHole",
    deaf: "deaf",
    "cut in the middle of replies": "cutReplies",
    frozen: "deaf",
  } as const;
  if (way === "slow") proxy.set({ kind: "slow", bytesPerSecond: 200 });
  else proxy.set({ kind: kinds[way] });
  if (way === "refused") proxy.cut();
  return () => {
    proxy.set({ kind: "pass" });
    proxy.cut(); // bytes that were swallowed are gone: what waits for them has to notice
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

async function answeredInTime(sent: Sent): Promise<void> {
  customer.sent.push(sent);
  const started = performance.now();
  const answer = await push(roles.url, customer.key, sent);
  expect(performance.now() - started).toBeLessThan(longestAnswerMs);
  expect([202, 503]).toContain(answer?.status);
  if (answer?.status === 503) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
}

/** Whatever does not need the store that is away is still told; nothing hangs. */
async function readsAreAnswered(away: StoreName): Promise<void> {
  const status = statusPath(finished.submission, finished.importId ?? "");
  for (const path of [status, `${status}/errors`, "/v1/org/ledger/shipments"]) {
    const started = performance.now();
    const answer = await ask(roles.url, customer.key, path);
    expect(performance.now() - started).toBeLessThan(longestAnswerMs);
    expect(away === "database" ? [200, 503] : [200], path).toContain(answer?.status);
    await answer?.text();
  }
}

describe.each(cases)("%s %s", (store, way) => {
  test("pushes are answered in time, 202 or 503 as it was; reads go on; afterwards everything continues by itself", {
    timeout: 240_000,
  }, async () => {
    const underWay = await pushUntilTaken(large("activities"));
    const lift = await strike(store, way);
    try {
      const pushes = [...new Array(4)].map(() => newPush(randomSubmission(random)));
      await Promise.all([...pushes.map(answeredInTime), pause(50).then(() => readsAreAnswered(store))]);
    } finally {
      lift();
    }
    const after = await pushUntilTaken(randomSubmission(random));
    const shown = await untilSettled(roles.url, customer);
    expect(statusOf(shown, underWay)).toBe("completed");
    expect(statusOf(shown, after)).toBe("completed");
    for (const sent of customer.sent) {
      if (sent.answers.every((answer) => answer === 503)) expect([undefined, "cancelled"]).toContain(statusOf(shown, sent));
    }
    await reckon(roles.url, customer, shown, roles.eventStore);
  });
});

const statusOf = (shown: readonly Shown[], { name }: Sent) => shown.find(({ sourceDetails }) => sourceDetails === name)?.status;
