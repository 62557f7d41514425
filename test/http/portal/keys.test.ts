import { afterAll, beforeAll, expect, test } from "vitest";
import { listKeys } from "../../../src/queries/organisations/keys.js";
import { addMember, formToken, signedIn, type Visitor } from "../../support/portal/portal.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

const path = "/portal/settings/keys";

let service: TestService;
let organisation: TestOrganisation;
let admin: Visitor;
let token: string;
beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  admin = await signedIn(service, await addMember(service, organisation.id, "admin"));
  token = await formToken(admin);
});
afterAll(() => service?.close());

const shown = async (address = path) => (await admin.get(address)).text();
const keyIn = (page: string) => /wb_live_[A-Za-z0-9]{36}/.exec(page)?.[0] ?? "";
const named = async (name: string) => (await listKeys(organisation.id, service.pool)).find((key) => key.name === name);
const rowOf = (page: string, name: string) => page.split("<tr").find((row) => row.includes(name) && row.includes("</td>")) ?? "";
const statusWith = async (key: string) =>
  (await fetch(`${service.url}/v1/org/shipments/imports`, { headers: { "x-api-key": key } })).status;

async function create(fields: Record<string, string>): Promise<{ key: string; keyId: string }> {
  expect((await admin.post(path, { token, ...fields })).status).toBe(303);
  return { key: keyIn(await shown()), keyId: (await named(fields["name"] ?? ""))?.keyId ?? "" };
}

test("a key gets the chosen scope alone, and the list says it in words with who created it", async () => {
  const { key } = await create({ name: "Only quotes", scopes: "quotes" });
  expect(await statusWith(key)).toBe(403);
  const row = rowOf(await shown(), "Only quotes");
  expect(row).toContain("Generate and fetch quotes");
  expect(row).not.toContain("Read everything");
  expect(row).toMatch(/by \w/);
});

test("a key without any scope is refused, and the form keeps what was filled in", async () => {
  const refused = await admin.post(path, { token, sent: "yes", name: "Nothing at all" });
  const page = await refused.text();
  expect([refused.status, await named("Nothing at all")]).toEqual([400, undefined]);
  expect(page).toContain("A key needs at least one scope");
  expect(page).toContain('value="Nothing at all"');
  expect(page).not.toMatch(/name="scopes" value="\w+" checked/);
  const empty = await shown(`${path}?create=key`);
  expect([empty.includes('name="scopes"'), /name="scopes" value="\w+" checked/.test(empty)]).toEqual([true, false]);
  expect(await shown()).not.toContain('name="scopes"'); // the list comes first
});

test("the last day is the organisation's own and belongs to the key", async () => {
  await create({ name: "Until New Year", scopes: "read", lastDay: "2098-12-31" });
  expect((await named("Until New Year"))?.expiresAt?.toISOString()).toBe("2098-12-31T13:00:00.000Z"); // midnight in Sydney
});

test("a key may end in 30 or 90 days, at the end of the day in the organisation's zone", async () => {
  for (const days of [30, 90]) {
    await create({ name: `For ${days} days`, scopes: "read", days: String(days) });
    const end = (await named(`For ${days} days`))?.expiresAt?.getTime() ?? 0;
    expect(Math.round((end - Date.now()) / 86_400_000 - 0.5)).toBe(days);
    expect(rowOf(await shown(), `For ${days} days`)).toContain("Until the end of ");
  }
});

test("the last day of the calendar is accepted where it ends in the year 10000", async () => {
  await inZone("America/New_York", () => create({ name: "For ever", scopes: "read", lastDay: "9999-12-31" }));
  expect((await named("For ever"))?.expiresAt?.toISOString()).toBe("9999-12-31T23:59:59.999Z");
  await inZone("America/New_York", async () => {
    for (const page of ["settings/log", "shipments", "quotes"])
      expect([page, (await admin.get(`/portal/${page}?to=9999-12-31`)).status]).toEqual([page, 200]);
  });
});

async function inZone(timezone: string, work: () => Promise<unknown>): Promise<void> {
  const put = (zone: string) => service.pool.query("update organisations set timezone = $2 where id = $1", [organisation.id, zone]);
  await put(timezone);
  try {
    await work();
  } finally {
    await put("Australia/Sydney");
  }
}

test.each(["2020-01-01", "2026-02-30", "soon"])("the last day %s is refused with a sentence", async (lastDay) => {
  const refused = await admin.post(path, { token, name: "Refused", scopes: "read", lastDay });
  expect([refused.status, await named("Refused")]).toEqual([400, undefined]);
});

test("a rotated key shows both secrets, and a form that is sent twice rotates once", async () => {
  const { key: old, keyId } = await create({ name: "Rotated", scopes: "read" });
  const question = await shown(`${path}?rotate=${keyId}`);
  expect(question).toContain("Rotate this key?");
  const answer = { token, replaces: old.slice(0, 12), keep: "72" };
  expect((await admin.post(`${path}/${keyId}/rotate`, answer)).status).toBe(303);
  const page = await shown();
  const fresh = keyIn(page);
  expect(page).toContain("Use the new key before then. The list below shows when the old one was last used.");
  expect([await statusWith(old), await statusWith(fresh)]).toEqual([200, 200]);
  const row = rowOf(await shown(), "Rotated");
  for (const prefix of [old, fresh].map((key) => key.slice(0, 12))) expect(row).toContain(prefix);
  expect((await admin.post(`${path}/${keyId}/rotate`, answer)).status).toBe(409);
  expect(await statusWith(old)).toBe(200);
});

test("without an overlap the old secret has ended at once", async () => {
  const { key: old, keyId } = await create({ name: "At once", scopes: "read" });
  await admin.post(`${path}/${keyId}/rotate`, { token, replaces: old.slice(0, 12), keep: "0" });
  const page = await shown();
  expect(page).toContain(`The old key ${old.slice(0, 12)} no longer works. Use the new key now.`);
  expect([await statusWith(old), await statusWith(keyIn(page))]).toEqual([401, 200]);
});

test.each(["", "-1", "169", "1.5", "x"])("an overlap of '%s' hours is refused", async (keep) => {
  const { key, keyId } = await create({ name: `Overlap ${keep}.`, scopes: "read" });
  expect((await admin.post(`${path}/${keyId}/rotate`, { token, replaces: key.slice(0, 12), keep })).status).toBe(400);
  expect(await statusWith(key)).toBe(200);
});
