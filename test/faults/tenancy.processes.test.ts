import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routes } from "../../src/http/api/routes/list.js";
import { eventually } from "../support/eventually.js";
import { type Role, startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";
import { manyAtOnce } from "./pace.js";
import { seeded } from "./randomness.js";
import { firstSeed, long } from "./scale.js";

let service: TestService;
let roles: Role[];
let owner: TestOrganisation;
let stranger: TestOrganisation;
/** The owner's ids, by what they identify. */
const ids: Record<string, string> = {};
/** The cursor to the second page of each of the owner's lists. */
const cursors: Record<string, string> = {};
let link = "";

const lists = () => [
  "/v1/org/shipments/imports",
  "/v1/org/fulfilment/imports",
  `/v1/org/shipments/imports/${ids["shipment import"]}/errors`,
  `/v1/org/fulfilment/imports/${ids["fulfilment import"]}/errors`,
  `/v1/org/shipments/imports/${ids["shipment import"]}/reversals`,
  `/v1/org/fulfilment/imports/${ids["fulfilment import"]}/reversals`,
  "/v1/org/ledger/shipments",
  "/v1/org/ledger/activities",
  `/v1/org/ledger/activities?importId=${ids["fulfilment import"]}`,
  "/v1/org/ledger/activities?from=2020-01-01T00:00:00Z",
  "/v1/org/ledger/activities?reversed=only",
];
const madeUp: Record<string, string> = {
  "shipment import": "0190a000-0000-7000-8000-000000000001",
  "fulfilment import": "0190a000-0000-7000-8000-000000000002",
  quote: "0190a000-0000-7000-8000-000000000003",
  shipment: "made-up shipment",
  organisation: "made-up-organisation",
};
const withQuery = (path: string, query: string) => `${path}${path.includes("?") ? "&" : "?"}${query}`;

beforeAll(async () => {
  service = await startTestService();
  roles = [startWorker(service), startProjector(service)];
  [owner, stranger] = await Promise.all([service.organisation(), service.organisation()]);
  ids["organisation"] = owner.id;
  const place = (postalCode: string) => ({ postalCode });
  const quoted = await owner.post("/v1/org/quote/getQuote", {
    ...{ general: { customerIds: ["CUST-001"] }, origin: place("2000"), destination: place("3000") },
    items: [{ quantity: 1, length: 1, width: 1, height: 1, weight: 5 }],
  });
  ids["quote"] = ((await quoted.json()) as { results: { quoteId: string }[] }).results[0]?.quoteId ?? "";
  for (const _ of [1, 2]) await pushBoth();
  for (const path of lists())
    cursors[path] = ((await (await owner.get(withQuery(path, "limit=1"))).json()) as { nextCursor: string }).nextCursor;
});
afterAll(async () => {
  await Promise.all((roles ?? []).map((role) => role.stop()));
  await service?.close();
});

/** Pushes good and bad rows of each kind and reverses two of the good ones, one by one, so that every list has two pages. */
async function pushBoth(): Promise<void> {
  const good = { originPostCode: "2000", destinationPostCode: "3000", items: [{ itemType: "Carton", itemQuantity: 1 }] };
  const shipments = [1, 2, 3, 4, 5, 6].map((index) => ({
    ...good,
    ...(index > 4 ? { originPostCode: "9999" } : {}),
    shipmentId: `SECRET-${index}`,
  }));
  const activities = [1, 2, 3, 4, 5, 6].map((index) => ({
    ...{ warehouseCode: "SECRET-W", chargeCode: "C", quantity: 1, activityTimestamp: "2026-03-01T09:30:00Z" },
    ...(index > 4 ? { customerId: "NOBODY" } : {}),
    reference: `SECRET-R${index}`,
  }));
  ids["shipment"] = "SECRET-1";
  for (const [kind, path, body, reversals] of [
    ["shipment import", "/v1/org/shipments/imports", { shipments }, [{ shipmentIds: ["SECRET-3"] }, { shipmentIds: ["SECRET-4"] }]],
    ["fulfilment import", "/v1/org/fulfilment/activities", { activities }, [{ rows: [3] }, { rows: [4] }]],
  ] as const) {
    const { importId, statusUrl } = (await (await owner.post(path, body)).json()) as { importId: string; statusUrl: string };
    ids[kind] = importId;
    await eventually(async () => {
      const shown = (await (await owner.get(statusUrl)).json()) as { status: string; errorReportUrl: string };
      link = shown.errorReportUrl;
      return shown.status === "completed";
    }, "the import to complete");
    for (const what of reversals) {
      const answer = await owner.post(`${statusUrl}/reversals`, { ...what, reason: "SECRET reason" });
      expect(answer.status).toBe(200);
      const { reversalId } = (await answer.json()) as { reversalId: string };
      await eventually(
        async () => (await (await owner.get(`${statusUrl}/reversals`)).text()).includes(reversalId),
        "the reversal to be listed",
      );
    }
  }
}

const withParameters = routes.filter(({ path }) => path.includes("{"));

/** A body that the route takes, so that only the id can be at fault. */
function bodyFor(path: string): unknown {
  if (path.endsWith("/corrections")) return { rows: [{ row: 1, values: {} }] };
  return path.endsWith("/reversals") ? { all: true, reason: "not mine" } : {};
}

async function answerTo(organisation: TestOrganisation, method: string, path: string): Promise<{ status: number; body: string }> {
  const answer = method === "GET" ? await organisation.get(path) : await organisation.post(path, bodyFor(path));
  return { status: answer.status, body: await answer.text() };
}

describe.each(withParameters.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", (_, { method, path }) => {
  test("answers another organisation the same for the owner's ids as for ids that do not exist", async () => {
    for (const [kind, id] of Object.entries(ids)) {
      const at = (value: string) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(value));
      const told = await answerTo(stranger, method, at(id));
      expect(told, kind).toEqual(await answerTo(stranger, method, at(madeUp[kind] ?? "")));
      expect(told.status, kind).toBe(404);
    }
  });
});

test("the owner finds each id, so that the ids of the tests above exist", async () => {
  for (const path of [
    `/v1/org/quote/getQuote/${ids["quote"]}`,
    `/v1/org/shipments/imports/${ids["shipment import"]}`,
    `/v1/org/fulfilment/imports/${ids["fulfilment import"]}`,
    `/v1/org/ledger/shipments/${ids["shipment"]}`,
  ]) {
    expect((await answerTo(owner, "GET", path)).status, path).toBe(200);
  }
  for (const path of lists()) expect(cursors[path], path).toEqual(expect.any(String));
});

test("another organisation's lists are empty, and reject the owner's cursors", async () => {
  for (const path of lists()) {
    const first = await answerTo(stranger, "GET", path);
    expect(first.body).not.toContain("SECRET");
    if (first.status === 200) expect(JSON.parse(first.body)).toEqual({ items: [], nextCursor: null });
    const paged = await answerTo(stranger, "GET", withQuery(path, `cursor=${cursors[path]}`));
    const never = await answerTo(stranger, "GET", withQuery(path, `cursor=${"A".repeat(cursors[path]?.length ?? 0)}`));
    expect(paged).toEqual(never);
    expect([400, 404]).toContain(paged.status);
  }
});

test("another organisation's totals and their changes have nothing of the owner's", async () => {
  for (const path of ["totals", "totals/changes?since=2020-01-01"]) {
    const at = `/v1/org/ledger/activities/${path}`;
    expect((await answerTo(owner, "GET", at)).body, path).not.toContain('"items":[]');
    const told = await answerTo(stranger, "GET", at);
    expect(told.status, path).toBe(200);
    expect(told.body, path).toContain('"items":[]');
    expect(told.body, path).not.toContain("SECRET");
  }
});

test("a cursor is rejected in any other list of its owner", async () => {
  for (const from of lists()) {
    for (const to of lists().filter((path) => path !== from)) {
      expect((await answerTo(owner, "GET", withQuery(to, `cursor=${cursors[from]}`))).status, `${from} in ${to}`).toBe(400);
    }
  }
});

test("another organisation's customers cannot be quoted for", async () => {
  const body = {
    ...{ general: { customerIds: ["CUST-SECRET"] }, origin: { postalCode: "2000" }, destination: { postalCode: "3000" } },
    items: [{ quantity: 1, length: 1, width: 1, height: 1, weight: 5 }],
  };
  await service.organisation((file) => file.customers.push({ id: "CUST-SECRET", name: "S", carrierIds: [], rateCardIds: [] }));
  const theirs = await stranger.post("/v1/org/quote/getQuote", body);
  const nobodys = await stranger.post("/v1/org/quote/getQuote", { ...body, general: { customerIds: ["CUST-MADEUP"] } });
  expect([theirs.status, nobodys.status]).toEqual([403, 403]);
  expect((await theirs.text()).replace("CUST-SECRET", "X")).toBe((await nobodys.text()).replace("CUST-MADEUP", "X"));
});

/** Few enough that none is refused for want of a place: an organisation has four reads at once, and a busy machine is slow with each. */
const atOnce = 8;

/** Copies of the text with one bit changed in one character: in the short form one random bit per character, in the long form each bit. */
function bitFlips(text: string): string[] {
  const random = seeded(firstSeed);
  return [...text].flatMap((character, at) => {
    const bits = long ? [0, 1, 2, 3, 4, 5, 6] : [random.number(7)];
    return bits.map((bit) => text.slice(0, at) + String.fromCharCode(character.charCodeAt(0) ^ (1 << bit)) + text.slice(at + 1));
  });
}

test("a cursor with one bit changed is refused", async () => {
  for (const path of lists()) {
    const flips = bitFlips(cursors[path] ?? "");
    const accepted: string[] = [];
    await manyAtOnce(flips.length, atOnce, async () => {
      const cursor = flips.pop() ?? "";
      const { status } = await answerTo(owner, "GET", withQuery(path, `cursor=${encodeURIComponent(cursor)}`));
      if (status !== 400) accepted.push(`${status}: ${cursor}`);
    });
    expect(accepted, path).toEqual([]);
    expect((await answerTo(owner, "GET", withQuery(path, `cursor=${cursors[path]}`))).status).toBe(200);
  }
});

test("a link with one bit changed in any of its parts opens nothing", async () => {
  const { pathname, searchParams } = new URL(link);
  const parts = { key: pathname.slice("/files/".length), ...Object.fromEntries(searchParams) } as Record<string, string>;
  const open = async ({ key = "", ...query }: Record<string, string>) => {
    const answer = await fetch(`${service.url}/files/${key.split("/").map(encodeURIComponent).join("/")}?${new URLSearchParams(query)}`);
    await answer.arrayBuffer();
    return answer.status;
  };
  expect(await open(parts)).toBe(200);
  for (const [name, text] of Object.entries(parts)) {
    const flips = bitFlips(text);
    const opened: string[] = [];
    await manyAtOnce(flips.length, atOnce, async () => {
      const changed = flips.pop() ?? "";
      if (![400, 403, 404].includes(await open({ ...parts, [name]: changed }))) opened.push(changed);
    });
    expect(opened, name).toEqual([]);
  }
  for (const name of Object.keys(parts)) expect([400, 403, 404], name).toContain(await open({ ...parts, [name]: "" }));
});
