// Wrong passwords over HTTP: whose address counts, who is kept out, and what the log and the metrics say about it.
import { Writable } from "node:stream";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { guessesPerHour, hashEmail } from "../../../src/commands/members/signInPace.js";
import { recordSignIn } from "../../../src/commands/members/signInRecords.js";
import { parseAddressRanges } from "../../../src/domain/addressRanges.js";
import { signInsId } from "../../../src/events/memberEvents.js";
import { streamOf } from "../../../src/events/streams.js";
import type { PortalOptions } from "../../../src/http/portal/pageDefinition.js";
import { eventually } from "../../support/eventually.js";
import { addMember, password, type TestMember, visitor } from "../../support/portal/portal.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";
import { startApi } from "../../support/startApi.js";

let service: TestService;
let organisation: TestOrganisation;
let behindProxy: { readonly url: string; readonly stop: () => Promise<void> };
let log = "";
const logger = pino(
  { level: "trace" },
  new Writable({
    write: (chunk, _, done) => {
      log += String(chunk);
      done();
    },
  }),
);

beforeAll(async () => {
  service = await startTestService();
  organisation = await service.organisation();
  behindProxy = await startPortal({ trustedProxies: parseAddressRanges("127.0.0.1") as PortalOptions["trustedProxies"] });
});
afterAll(async () => {
  await behindProxy?.stop();
  await service?.close();
});

async function startPortal(parts: Partial<PortalOptions>) {
  const deps = { ...service.deps, logger, portal: { ...service.portal, logger, ...parts } };
  const api = await startApi({ deps, host: "127.0.0.1", port: 0, logger });
  return { url: `http://127.0.0.1:${api.port}`, stop: () => api.stop() };
}

const guess = async (url: string, email: string, from: string) =>
  (await visitor(url).post("/portal/sign-in", { email, password: "wrong password 12" }, { "x-forwarded-for": from })).status;

/** A refusal lasts a second from the last failure; from now on it lasts a minute more, however late a busy machine makes the next guess. */
const prolongRefusals = () => service.pool.query("update sign_in_failures set last_at = now() + interval '1 minute'");

test("X-Forwarded-For of a peer that is not a trusted proxy gives a guesser no second address", async () => {
  const { email } = await addMember(service, organisation.id, "viewer");
  const statuses: number[] = [];
  for (let n = 1; n <= 6; n += 1) {
    if (n === 6) await prolongRefusals();
    statuses.push(await guess(service.url, email, `198.51.100.${n}`));
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  expect(await guess(behindProxy.url, email, "198.51.100.99")).toBe(401); // there the same header is believed
});

async function recordedOf({ memberId }: TestMember): Promise<string[]> {
  const found: string[] = [];
  const stream = streamOf.signIns(signInsId(memberId, await service.portal.members.now()));
  for await (const { type } of service.eventStore.read(stream)) found.push(type);
  return found;
}

test("an event is recorded for each guess that the pace lets through, and for no other, so that guesses cannot fill the store", async () => {
  const member = await addMember(service, organisation.id, "viewer");
  const statuses: number[] = [];
  const guessFrom = async (address: string) => statuses.push(await guess(behindProxy.url, member.email, address));
  for (let n = 1; n <= 5; n += 1) await guessFrom("198.51.100.1");
  await prolongRefusals();
  await guessFrom("198.51.100.1");
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  await service.pool.query("update sign_in_guesses set guessed_at = array_fill(now(), array[$2::int]) where key = $1", [
    hashEmail(service.deps.signingSecret, "budget", member.email),
    guessesPerHour.account - 2,
  ]);
  for (let n = 2; n <= 6; n += 1) await guessFrom(`198.51.100.${n}`);
  expect(statuses.slice(6)).toEqual([401, 401, 429, 429, 429]);
  await eventually(async () => (await recordedOf(member)).length === 7, "five guesses of one address and two of others");
  const last = { how: "password", correlationId: "test" } as const;
  await recordSignIn(service.portal.members, { organisationId: organisation.id, memberId: member.memberId }, last, console.error);
  expect(await recordedOf(member)).toEqual([...Array(7).fill("MemberSignInRefused"), "MemberSignedIn"]);
});

async function signedInBrowser({ email }: TestMember, url: string) {
  const browser = visitor(url);
  const response = await browser.post("/portal/sign-in", { email, password });
  expect(response.status).toBe(303);
  return { browser, setCookie: response.headers.getSetCookie().find((each) => each.startsWith("waybill_known=")) ?? "" };
}

test("forty wrong passwords at once do not keep a member out of a browser in which they have signed in before", async () => {
  const member = await addMember(service, organisation.id, "viewer");
  const { browser, setCookie } = await signedInBrowser(member, behindProxy.url);
  expect(setCookie).toMatch(/; HttpOnly; SameSite=Lax$/);
  expect(setCookie).not.toContain(member.memberId);
  const crowd = Promise.all(Array.from({ length: 40 }, (_, n) => guess(behindProxy.url, member.email, `203.0.113.${n}`)));
  const own = await browser.post("/portal/sign-in", { email: member.email, password });
  expect(own.status).toBe(303);
  expect((await crowd).filter((status) => status === 429).length).toBeGreaterThan(0);
});

test("a changed cookie, or another member's, makes no browser known", async () => {
  const [member, other] = [await addMember(service, organisation.id, "viewer"), await addMember(service, organisation.id, "viewer")];
  const { browser } = await signedInBrowser(other, behindProxy.url);
  const cookie = browser.cookies.get("waybill_known") ?? "";
  for (let n = 0; n < 5; n += 1) await guess(service.url, member.email, "x");
  await prolongRefusals();
  for (const value of [cookie, `${cookie}x`, "x"]) {
    const thief = visitor(service.url, new Map([["waybill_known", value]]));
    expect((await thief.post("/portal/sign-in", { email: member.email, password })).status).toBe(429);
  }
});

test("sign-ins, refusals and waits are logged and counted, without e-mails, passwords or cookies", async () => {
  const member = await addMember(service, organisation.id, "viewer", "Logged.Person@example.com");
  const { browser } = await signedInBrowser(member, behindProxy.url);
  const stranger = "never.heard.of@example.com";
  for (let n = 0; n < 5; n += 1) await guess(behindProxy.url, stranger, "198.51.100.200");
  await prolongRefusals();
  await guess(behindProxy.url, stranger, "198.51.100.200");
  await visitor(behindProxy.url).post(`/portal/join/${"A".repeat(43)}`, { password });
  const lines = log.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Record<string, unknown>]));
  const said = (msg: string, found: Record<string, unknown>) =>
    expect(lines).toContainEqual(expect.objectContaining({ msg, requestId: expect.any(String), ...found }));
  said("a member signed in", { way: "password", memberId: member.memberId, organisationId: organisation.id, address: "127.0.0.1" });
  said("a sign-in was refused", { way: "password", emailHash: expect.stringMatching(/^[\w-]{16}$/), address: "198.51.100.200" });
  said("a sign-in was told to wait", { way: "password", emailHash: expect.stringMatching(/^[\w-]{16}$/), seconds: expect.any(Number) });
  said("a sign-in was refused", { way: "link", why: "the link is void" });
  for (const secret of [member.email, stranger, password, "wrong password", ...browser.cookies.values()]) {
    expect(log.toLowerCase().includes(secret.toLowerCase()), secret).toBe(false);
  }
  const metrics = await (await fetch(`${behindProxy.url}/metrics`)).text();
  for (const labels of ['way="password",outcome="signed in"', 'way="password",outcome="refused"', 'way="password",outcome="slowed"'])
    expect(metrics).toMatch(new RegExp(`waybill_sign_ins_total\\{${labels}\\} [1-9]`));
});
