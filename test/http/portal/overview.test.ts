import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKey } from "../../../src/commands/organisations/keys.js";
import type { Role } from "../../../src/domain/members.js";
import { lastDays } from "../../../src/http/portal/pages/days.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { endedImports } from "../../../src/queries/recentWork.js";
import { activity, goodsLine, type Story, tell } from "../../support/importStory.js";
import { addMember, signedIn } from "../../support/portal/portal.js";
import { projectLog } from "../../support/projectLog.js";
import { startTestService, type TestService } from "../../support/service.js";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service?.close());

async function record(...stories: Story[]) {
  for (const story of stories) {
    const { stream, events } = tell(story);
    await service.eventStore.append(stream, events, noStream);
  }
  await projectLog(service);
}

const words = (page: string) => page.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ");

test("work that waits for a person comes first, with links to it; the plots show the last days", async () => {
  const { id: organisationId } = await service.organisation();
  const [operator, viewer] = await Promise.all(
    (["operator", "viewer"] as const).map(async (role) => signedIn(service, await addMember(service, organisationId, role))),
  );
  const empty = await (await viewer?.get("/portal"))?.text();
  for (const heading of ["Needs attention", "Running", "Rows in the last 30 days", "This month", "Activities by charge code"])
    expect(empty).not.toContain(heading);
  expect(empty).toContain("No imports yet");
  expect(empty).not.toContain('class="button" href="/portal/upload"');

  const at = new Date(Date.now() - 60_000).toISOString();
  const rows = [{ accept: goodsLine("A") }, { accept: goodsLine("B") }, { reject: "Customer not found", handle: "C" }];
  const picks = [1, 2, 3].map((quantity) => ({ accept: activity({ activityTimestamp: at, chargeCode: "PICK", quantity }) }));
  await record(
    { organisationId, kind: "shipments", rows, at },
    { organisationId, kind: "shipments", rows: [], end: "failed", at },
    { organisationId, kind: "shipments", rows: [], end: "failed", at: "2025-01-01T00:00:00.000Z" },
    { organisationId, kind: "activities", rows: [...picks, { accept: activity({ chargeCode: "LONG-AGO" }) }], at },
  );
  await service.pool.query(
    `insert into webhook_endpoints (endpoint_id, organisation_id, url, events, generation, added_at, added_position, paused_at)
     values ($1, $2, 'https://example.com', '{}', 1, now(), 0, now())`,
    [randomUUID(), organisationId],
  );
  await service.pool.query(
    `with added as (insert into webhook_endpoints (endpoint_id, organisation_id, url, events, generation, added_at, added_position)
       select gen_random_uuid(), $1, 'https://example.com', '{}', 1, now(), failures from unnest(array[2, 3, 4]) as failures
       returning endpoint_id, added_position as failures)
     insert into webhook_health (endpoint_id, failures, failing_since) select endpoint_id, failures, now() from added`,
    [organisationId],
  );
  const page = (await (await operator?.get("/portal"))?.text()) ?? "";
  expect(page).toContain('class="button" href="/portal/upload"');
  expect(page).toContain('href="/portal/corrections"><span class="amount">1</span> rejected row to correct');
  expect(words(page)).toContain("1 import failed in the last 30 days");
  expect(words(page)).toContain("1 webhook is paused");
  expect(words(page)).toContain("2 webhooks are failing"); // not the one that failed twice
  expect(page.indexOf("Needs attention")).toBeLessThan(page.indexOf("Rows in the last 30 days</h2>"));
  expect(words(page)).toContain("Accepted6Rejected1"); // fewer than seven days are numbers, not bars
  expect(words(page)).toMatch(/This month, \w+ \d{4}3 activities/);
  const seen = (await (await viewer?.get("/portal"))?.text()) ?? "";
  expect(seen).not.toContain('href="/portal/corrections"><span class="amount">'); // viewers are not told to correct
  expect(words(page)).toContain("PICK3 activities");
  expect(page).not.toContain("LONG-AGO");
});

test("a clerk sees the newest files with rows to correct; an accountant what has changed since their download of last month", async () => {
  const { id: organisationId } = await service.organisation();
  const [clerk, accountant] = await Promise.all(
    (["operator", "viewer"] as const).map(async (role) => signedIn(service, await addMember(service, organisationId, role))),
  );
  const lastMonth = new Date();
  lastMonth.setUTCDate(0);
  const accepted = { accept: activity({ activityTimestamp: `${lastMonth.toISOString().slice(0, 8)}15T00:00:00Z` }) };
  const rejected = { reject: "Customer not found" };
  const imports = [1, 2, 3, 4, 5, 6].map((n): Story => {
    const name = { organisationId, sourceDetails: `file ${n}` };
    return { ...name, kind: "activities", rows: [accepted, ...(n === 3 ? [] : [rejected, rejected])] };
  });
  await record(...imports, { organisationId, kind: "shipments", sourceDetails: "orders", rows: [{ reject: "x", handle: "A" }] });
  const page = await (await clerk?.get("/portal"))?.text();
  const listed = [...(page ?? "").matchAll(/corrections\?import=[0-9a-f-]{36}">([^<]+)<\/a>: (\d+)/g)].map(
    ([, name, rows]) => `${name} ${rows}`,
  );
  expect(listed).toEqual(["orders 1", "file 6 2", "file 5 2", "file 4 2", "file 2 2"]);
  const billing = async () => words((await (await accountant?.get("/portal"))?.text()) ?? "");
  expect(await billing()).toMatch(/What has changed in \w+ \d{4} since it ended/);
  expect(await billing()).not.toContain("file 6: ");
  const month = lastMonth.toISOString().slice(0, 7);
  await (await accountant?.get(`/portal/activities/totals.csv?month=${month}&asOf=2026-01-01T00:00`))?.text();
  expect(await billing()).toMatch(/What has changed in \w+ \d{4} since it ended/); // an older state was downloaded
  await (await accountant?.get(`/portal/activities/totals.csv?month=${month}`))?.text();
  expect(await billing()).toMatch(/What has changed in \w+ \d{4} since you downloaded it on \d+ \w+ \d{4}/);
  clerk?.cookies.set("waybill_totals", accountant?.cookies.get("waybill_totals") ?? "");
  expect(words((await (await clerk?.get("/portal"))?.text()) ?? "")).toMatch(/since it ended/); // it is somebody else's
});

test("keys that end within 14 days are shown to those who can create others, and to nobody else", async () => {
  const { id: organisationId } = await service.organisation();
  const create = (name: string, days: number) => {
    const wanted = { organisationId, name, expiresAt: new Date(Date.now() + days * 86_400_000) };
    return createKey(service.portal.organisations, wanted, { by: { kind: "cli", id: "test" }, correlationId: "test" });
  };
  const shownTo = async (role: Role) => {
    const who = await signedIn(service, await addMember(service, organisationId, role));
    return (await who.get("/portal")).text();
  };
  await create("later", 15);
  expect(await shownTo("admin")).not.toContain("Needs attention");
  await create("soon", 13);
  const page = await shownTo("admin");
  expect(words(page)).toContain("1 API key ends within 14 days");
  expect(page).toContain('href="/portal/settings/keys">1 API key ends');
  for (const role of ["operator", "viewer"] as const) expect(await shownTo(role)).not.toContain("Needs attention");
  await create("also soon", 1);
  expect(words(await shownTo("admin"))).toContain("2 API keys end within 14 days");
});

test("another organisation's work is not counted", async () => {
  const [one, other] = [await service.organisation(), await service.organisation()];
  const at = new Date(Date.now() - 60_000).toISOString();
  await record({ organisationId: other.id, kind: "activities", rows: [{ accept: activity({ activityTimestamp: at }) }], at });
  const viewer = await signedIn(service, await addMember(service, one.id, "viewer"));
  const page = await (await viewer.get("/portal")).text();
  expect(page).not.toMatch(/: [1-9]\d* accepted/);
  expect(page).not.toContain("Activities by charge code");
});

test("days are those of the organisation's time zone, also when its clocks change", () => {
  const { names, starts, end } = lastDays(3, "Australia/Sydney", new Date("2026-10-04T20:00:00Z")); // clocks went forward on the 4th of October
  expect(names).toEqual(["2026-10-03", "2026-10-04", "2026-10-05"]);
  expect([...starts, end].map((start) => start.toISOString().slice(0, 16))).toEqual([
    ...["2026-10-02T14:00", "2026-10-03T14:00", "2026-10-04T13:00", "2026-10-05T13:00"],
  ]);
});

test("an import counts on the day it ended, and a bounded number of imports is read", async () => {
  const { id: organisationId } = await service.organisation();
  const ended = ["2026-07-01T13:59:59.999Z", "2026-07-01T14:00:00.000Z", "2026-07-02T13:59:59.999Z", "2026-07-02T14:00:00.000Z"];
  await record(...ended.map((at): Story => ({ organisationId, kind: "activities", rows: [{ accept: activity() }], at })));
  const days = lastDays(2, "Australia/Sydney", new Date("2026-07-02T12:00:00Z"));
  const count = async (most?: number) => {
    const found = await endedImports(organisationId, days, service.pool, most);
    return [...found.days.map(({ accepted }) => accepted), found.isCut];
  };
  expect(await count()).toEqual([1, 2, false]);
  expect(await count(4)).toEqual([1, 2, false]);
  expect(await count(3)).toEqual([1, 2, true]);
  expect(await count(2)).toEqual([0, 2, true]);
});
