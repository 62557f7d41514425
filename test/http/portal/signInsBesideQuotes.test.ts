// Hashing passwords does not block the API. `npm run bench -- --only=signIns` is the long form.
import { BlockList } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inviteMember } from "../../../src/commands/members/manageMembers.js";
import { parseAddressRanges } from "../../../src/domain/addressRanges.js";
import { TooBusy } from "../../../src/portErrors.js";
import type { Passwords } from "../../../src/ports/people.js";
import { addMember, heading, password, visitor } from "../../support/portal/portal.js";
import { everyCase } from "../../support/projects/everyCase.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";
import { startApi } from "../../support/startApi.js";

let service: TestService;
let organisation: TestOrganisation;
const emails: string[] = [];
beforeAll(async () => {
  service = await startTestService({}, undefined, { trustedProxies: parseAddressRanges("127.0.0.1") ?? new BlockList() });
  organisation = await service.organisation();
  const atFullStrength = (passwords: Passwords) => passwords;
  for (let n = 0; n < 5; n += 1)
    emails.push((await addMember(service, organisation.id, "viewer", `${n}@example.com`, atFullStrength)).email);
});
afterAll(() => service?.close());

const quote = {
  general: { customerIds: ["CUST-001"] },
  origin: { postalCode: "2000" },
  destination: { postalCode: "3000" },
  items: [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30 }],
};

/** The 95th percentile of the times of twenty quotes. */
async function slowQuote(): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const begun = performance.now();
    const response = await organisation.post("/v1/org/quote/getQuote", quote);
    await response.arrayBuffer();
    expect(response.status).toBe(200);
    times.push(performance.now() - begun);
  }
  return times.sort((a, b) => a - b)[18] ?? 0;
}

/** Signs in twenty times a second, each time from another address, with four at once at most. The returned function stops and gives the statuses. */
function signInSteadily(): () => Promise<number[]> {
  const calls: Promise<number>[] = [];
  let underWay = 0;
  const one = async (n: number) => {
    const headers = { "x-forwarded-for": `198.51.100.${n % 250}` };
    const fields = { email: emails[n % emails.length] ?? "", password };
    underWay += 1;
    const { status } = await visitor(service.url).post("/portal/sign-in", fields, headers);
    underWay -= 1;
    return status;
  };
  const timer = setInterval(() => {
    if (underWay < 4) calls.push(one(calls.length));
  }, 50);
  return () => {
    clearInterval(timer);
    return Promise.all(calls);
  };
}

test("a quote is asked for and answered while a password is hashed", async () => {
  const { passwords } = service.portal.members;
  let hashing = false;
  const watched: typeof passwords = {
    ...passwords,
    matches: async (...given) => {
      hashing = true;
      const same = await passwords.matches(...given);
      hashing = false;
      return same;
    },
  };
  const portal = { ...service.portal, members: { ...service.portal.members, passwords: watched } };
  const api = await startApi({ deps: { ...service.deps, portal }, host: "127.0.0.1", port: 0, logger: service.deps.logger });
  let answered = 0;
  const headers = { "x-api-key": organisation.key, "content-type": "application/json" };
  const ask = async () => {
    const asked = hashing;
    await fetch(`http://127.0.0.1:${api.port}/v1/org/quote/getQuote`, { method: "POST", headers, body: JSON.stringify(quote) });
    if (asked && hashing) answered += 1;
  };
  try {
    // A hash takes ten times as long as a quote. On a busy machine no quote may fit into one hash, but not so for twenty hashes in a row.
    for (let n = 0; n < 20 && answered === 0; n += 1) {
      const who = visitor(`http://127.0.0.1:${api.port}`);
      let signedIn = false;
      const signIn = who.post("/portal/sign-in", { email: emails[n % emails.length] ?? "", password }).then(({ status }) => {
        signedIn = true;
        expect(status).toBe(303);
      });
      while (!signedIn) await ask();
      await signIn;
    }
  } finally {
    await api.stop();
  }
  expect(answered).toBeGreaterThan(0); // if the API's own thread hashed, no quote would be answered meanwhile
});

test.runIf(everyCase)("quotes are about as fast beside twenty sign-ins a second as alone", async () => {
  await slowQuote();
  const ratios: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const alone = await slowQuote();
    const stop = signInSteadily();
    const beside = await slowQuote();
    expect(await stop()).toContain(303); // sign-ins did succeed
    ratios.push(beside / alone);
  }
  // A hash takes ten times as long as a quote: in the API's own thread it would delay every other quote.
  expect(ratios.sort((a, b) => a - b)[1]).toBeLessThan(5);
});

test("when too many hashes wait, a sign-in is answered 429 with Retry-After, and an invitation link stays valid", async () => {
  const busy = { ...service.portal.members.passwords, hash: refuse, matches: refuse };
  const portal = { ...service.portal, members: { ...service.portal.members, passwords: busy } };
  const api = await startApi({ deps: { ...service.deps, portal }, host: "127.0.0.1", port: 0, logger: service.deps.logger });
  try {
    const who = visitor(`http://127.0.0.1:${api.port}`);
    const signIn = await who.post("/portal/sign-in", { email: emails[0] ?? "", password });
    expect([signIn.status, signIn.headers.get("retry-after"), heading(await signIn.text())]).toEqual([429, "2", "Sign in"]);
    const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;
    const invitation = { organisationId: organisation.id, email: "late@example.com", role: "viewer" };
    const { token } = await inviteMember(service.portal.members, invitation, origin);
    const join = await who.post(`/portal/join/${token}`, { password });
    expect([join.status, await join.text()]).toEqual([503, expect.stringContaining("Too many passwords are being checked")]);
    expect((await visitor(service.url).post(`/portal/join/${token}`, { password })).status).toBe(303);
  } finally {
    await api.stop();
  }
});

const refuse = () => Promise.reject(new TooBusy("Too many passwords are being checked, try again shortly"));
