import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changeRole, eraseMember, inviteMember, removeMember } from "../../../src/commands/members/manageMembers.js";
import { createKey, revokeKey } from "../../../src/commands/organisations/keys.js";
import { pages } from "../../../src/http/portal/pages/list.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import { eventually } from "../../support/eventually.js";
import { addMember, heading, password, signedIn, type TestMember, type Visitor, visitor } from "../../support/portal/portal.js";
import { projectLog } from "../../support/projectLog.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

const path = "/portal/settings/log";
let service: TestService;
let organisation: TestOrganisation;
let ada: TestMember;
let admin: Visitor;
let keyId: string;
let keyPrefix: string;

beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  const { id: organisationId } = organisation;
  ada = await addMember(service, organisationId, "admin", `ada@${organisationId}.example`);
  await service.pool.query("update members set name = 'Ada Stone' where member_id = $1", [ada.memberId]);
  admin = await signedIn(service, ada);
  const origin = { by: { kind: "member", id: ada.memberId }, correlationId: "test" } as const;
  const { organisations, members } = service.portal;
  ({ keyId, prefix: keyPrefix } = await createKey(organisations, { organisationId, name: "=laptop" }, origin));
  await revokeKey(organisations, { organisationId, prefix: keyId }, origin);
  const email = `bob@${organisationId}.example`;
  await inviteMember(members, { organisationId, email, role: "viewer" }, origin);
  await changeRole(members, { organisationId, member: email, role: "operator" }, origin);
  await removeMember(members, { organisationId, member: email }, origin);
  await projectLog(service);
});
afterAll(() => service?.close());

const get = async (address: string, who = admin) => {
  const response = await who.get(address);
  return { status: response.status, text: await response.text() };
};
const plain = (page: string) => page.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
const sentences = (page: string) => [...page.matchAll(/<span class="log-sentence">(.*?)<\/span>/g)].map(([, html]) => plain(html ?? ""));

test("the page says in sentences who did what, newest first, and links to each thing and event", async () => {
  const { text } = await get(path);
  expect(heading(text)).toBe("Log");
  const bob = `bob@${organisation.id}.example`;
  expect(sentences(text).slice(0, 5)).toEqual([
    `Ada Stone removed ${bob}`,
    `Ada Stone changed the role of ${bob} to operator`,
    `Ada Stone invited ${bob} as viewer`,
    `Ada Stone revoked the key =laptop (${keyPrefix})`,
    `Ada Stone created the key =laptop (${keyPrefix})`,
  ]);
  expect(text).toContain(`<a href="/portal/settings/keys">=laptop (${keyPrefix})</a>`);
  expect(text.match(/href="\/portal\/settings\/log\/events\//g)?.length).toBe(sentences(text).length);
});

test("the filters are kept in the addresses, and a filter that fits nothing says so", async () => {
  const count = async (query: string) => sentences((await get(`${path}?${query}`)).text).length;
  expect(await count(`by=${ada.memberId}&what=keys`)).toBe(2);
  expect(await count(`by=${keyId}`)).toBe(0);
  const { text } = await get(`${path}?what=keys&by=${ada.memberId}`);
  expect(text).toContain(`href="${path}.csv?by=${ada.memberId}&amp;what=keys"`);
  expect((await get(`${path}?from=2020-01-01&to=2020-01-02`)).text).toContain("No entries match this filter");
});

test("days are those of the organisation's zone", async () => {
  const days = new Intl.DateTimeFormat("en-CA", { timeZone: "Australia/Sydney" });
  const today = days.format(new Date());
  const all = sentences((await get(path)).text).length;
  expect(sentences((await get(`${path}?from=${today}&to=${today}`)).text).length).toBeGreaterThan(0);
  expect(sentences((await get(`${path}?to=${today}`)).text).length).toBe(all);
  expect(sentences((await get(`${path}?from=${days.format(Date.now() + 172_800_000)}`)).text)).toEqual([]);
});

test.each([
  ["by=%00", 400],
  [`by=${"x".repeat(65)}`, 400],
  ["from=yesterday", 400],
  ["from=2026-03-02&to=2026-03-01", 400],
  ["cursor=nonsense", 400],
  [`by=${"x".repeat(64)}`, 200],
  ["what=unknown", 200],
  ["from=2026-03-01&to=2026-03-01", 200],
])("%s is answered %i, with a sentence", async (query, status) => {
  for (const address of query.startsWith("cursor") ? [path] : [path, `${path}.csv`]) {
    const answer = await get(`${address}?${query}`);
    expect([address, answer.status]).toEqual([address, status]);
  }
});

test("the file has every entry that fits the filter, and nothing that a spreadsheet would run", async () => {
  const response = await admin.get(`${path}.csv?what=keys&by=${ada.memberId}`);
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="log.csv"');
  const [head, first, second, ...rest] = (await response.text()).split("\r\n");
  expect(head).toBe('"When","By","What","What happened","By kind","By id","About kind","About id","Event","Stream","Revision","Entry id"');
  expect(first).toContain(`"Ada Stone","API keys","Ada Stone revoked the key =laptop (${keyPrefix})","member","${ada.memberId}"`);
  expect(second).toContain('"ApiKeyCreated"');
  expect(rest).toEqual([""]);
});

test("an entry's page shows the event as recorded, without hashes of passwords, links and keys", async () => {
  const { rows } = await service.pool.query<{ id: string; type: string }>(
    "select event_id as id, type from log_entries where organisation_id = $1",
    [organisation.id],
  );
  const seen = new Set<string>();
  for (const { id, type } of rows) {
    const { status, text } = await get(`${path}/events/${id}`);
    expect([type, status]).toEqual([type, 200]);
    expect(text).not.toMatch(/argon2id\$|[0-9a-f]{64}/);
    if (text.includes("(not shown)")) seen.add(type);
  }
  expect([...seen].toSorted()).toEqual(["ApiKeyCreated", "MemberInvited", "MemberPasswordSet"]);
});

test("only admins see it, and nobody another organisation's entries", async () => {
  const { rows } = await service.pool.query<{ id: string }>("select event_id as id from log_entries where organisation_id = $1 limit 1", [
    organisation.id,
  ]);
  const operator = await signedIn(service, await addMember(service, organisation.id, "operator"));
  const stranger = await signedIn(service, await addMember(service, (await service.organisation()).id, "admin"));
  for (const address of [path, `${path}.csv`, `${path}/events/${rows[0]?.id}`]) expect((await get(address, operator)).status).toBe(403);
  expect((await get(`${path}/events/${rows[0]?.id}`, stranger)).status).toBe(404);
  expect((await get(`${path}/events/${randomUUID()}`)).status).toBe(404);
  expect((await get(`${path}/events/nonsense`)).status).toBe(404);
  expect((await get(path, stranger)).text).not.toContain("=laptop");
  expect((await get(path)).text).toContain('href="/portal/settings/log" aria-current="page"');
  expect((await get("/portal", operator)).text).not.toContain(path);
  expect(pages.filter(({ access }) => access === "log")).toHaveLength(2);
});

const signIn = async (email: string, given: string): Promise<number> =>
  (await visitor(service.url).post("/portal/sign-in", { email, password: given })).status;

const signIns = async () => {
  await projectLog(service);
  const { rows } = await service.pool.query<{ type: string }>(
    "select type from log_entries where organisation_id = $1 and what = 'sign-ins' order by position",
    [organisation.id],
  );
  return rows.map(({ type }) => type);
};

test("sign-ins and wrong passwords of members are in it; those of unknown e-mails are nowhere", async () => {
  const email = `ada@${organisation.id}.example`;
  expect(await signIn(email, "wrong password 12")).toBe(401);
  expect(await signIn("nobody@nowhere.example", "wrong password 12")).toBe(401);
  expect(await signIn(email, password)).toBe(303);
  await eventually(async () => (await signIns()).length === 2, "both sign-ins");
  expect((await signIns()).toSorted()).toEqual(["MemberSignInRefused", "MemberSignedIn"]);
  const { text } = await get(`${path}?what=sign-ins`);
  expect(sentences(text).toSorted()).toEqual([
    "A sign-in as Ada Stone was refused: the password was wrong",
    "Ada Stone signed in with a password",
  ]);
});

test("people sign in also while the event store is away", async () => {
  const { append } = service.eventStore;
  const before = (await signIns()).length;
  Object.assign(service.portal.members.eventStore, { append: () => Promise.reject(new StoreUnavailable("event store", "away")) });
  try {
    expect(await signIn(`ada@${organisation.id}.example`, password)).toBe(303);
  } finally {
    Object.assign(service.portal.members.eventStore, { append });
  }
  expect(await signIns()).toHaveLength(before);
});

test("an erased person is a removed member here too, and who erased the person is known", async () => {
  const email = `gone@${organisation.id}.example`;
  const origin = { by: { kind: "member", id: ada.memberId }, correlationId: "test" } as const;
  const { organisations, members } = service.portal;
  const gone = await addMember(service, organisation.id, "admin", email);
  const byGone = { by: { kind: "member", id: gone.memberId }, correlationId: "test" } as const;
  await createKey(organisations, { organisationId: organisation.id, name: "theirs" }, byGone);
  await projectLog(service);
  expect(sentences((await get(path)).text)[0]).toContain("The admin created the key theirs");
  await eraseMember(members, { organisationId: organisation.id, member: email }, origin);
  await projectLog(service);
  const { text } = await get(path);
  expect(sentences(text).slice(0, 2)).toEqual([
    "Ada Stone erased a removed member",
    expect.stringContaining("A removed member created the key theirs"),
  ]);
  expect(text).not.toContain("gone@");
});
