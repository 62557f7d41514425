// Uses the portal in every way that carries a secret: correctly, wrongly, and while a store is away. Returns the secrets.
import { randomBytes } from "node:crypto";
import { inviteMember } from "../../../src/commands/members/manageMembers.js";
import { memberDeps } from "../../../src/main/adapters.js";
import type { Command } from "../../support/commandLine.js";
import type { IdentityProvider } from "../../support/portal/identityProvider.js";
import { formToken, type Visitor, visitor } from "../../support/portal/portal.js";
import type { SeparateRoles } from "../machines/separateRoles.js";

const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;
const email = "ada@harbour.example";
const unique = () => randomBytes(12).toString("hex");

export interface PortalUse {
  /** The secrets by a description of each. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly statuses: ReadonlySet<number>;
  /** The stderr of commands. */
  readonly said: string;
}

export async function usePortal(
  roles: SeparateRoles & { command: Command },
  provider: IdentityProvider,
  organisationId: string,
): Promise<PortalUse> {
  const secrets = new Map([["the client secret", provider.clientSecret]]);
  const statuses = new Set<number>();
  const keep = (what: string, secret: string | null | undefined): string => {
    if (!secret || secret.length < 8) throw new Error(`${what} is missing`);
    secrets.set(what, secret);
    return secret;
  };
  const told = async (answer: Promise<Response>): Promise<string> => {
    const response = await answer;
    statuses.add(response.status);
    return response.text();
  };
  const keepCookies = (who: Visitor, when: string) => {
    for (const [name, value] of who.cookies) keep(`the cookie ${name} ${when}`, value);
  };

  // Join by a link, with passwords that are refused first.
  const { token } = await inviteMember(memberDeps(roles), { organisationId, email, role: "admin" }, origin);
  const link = `/portal/join/${keep("the sign-in link", token)}`;
  const person = visitor(roles.url);
  const password = keep("the password", `right ${unique()}`);
  await told(person.get(link));
  for (const refused of [keep("a short password", unique().slice(0, 10)), keep("the e-mail as a password", email), password])
    await told(person.post(link, { password: refused }));
  secrets.delete("the e-mail as a password"); // an e-mail is not a secret
  keepCookies(person, "after joining");
  const form = keep("the form token", await formToken(person));

  // Create a key and a second link, each of which is shown once.
  await told(person.post("/portal/settings/keys", { token: form, name: "warehouse", scopes: "read" }));
  keepCookies(person, "with a new key");
  keep("the new key", /wb_live_\w{36}/.exec(await told(person.get("/portal/settings/keys")))?.[0]);
  await told(person.post("/portal/settings/members", { token: form, email: "bob@harbour.example", role: "viewer" }));
  const second = keep("the second link", /portal\/join\/([\w-]{43})/.exec(await told(person.get("/portal/settings/members")))?.[1]);

  // Sign in: with a wrong password, with a password in the wrong field, then correctly.
  const wrong = keep("a wrong password", `wrong ${unique()}`);
  for (const fields of [
    { email, password: wrong },
    { email: keep("a password in the e-mail's field", `typo ${unique()}`), password },
    { email, password },
  ])
    await told(person.post("/portal/sign-in", fields));
  keepCookies(person, "after signing in");
  keep("the new form token", await formToken(person));

  await badRequests(person, { told, link, second, password, form });
  const command = await roles.command(["members", "link", email, "--org", organisationId], { ...roles.environment, LOG_LEVEL: "trace" });
  keep("the command's link", /join\/([\w-]{43})/.exec(command.stdout)?.[1]);
  await signInByProvider(roles, provider, { told, keep, keepCookies });

  // The database is away, then the event store.
  for (const store of ["database", "event store"] as const) {
    const proxy = roles.proxies[store];
    proxy.set({ kind: "refuse" });
    proxy.cut();
    await told(visitor(roles.url).post("/portal/sign-in", { email, password }));
    await told(visitor(roles.url, new Map(person.cookies)).post(`/portal/join/${second}`, { password }));
    await told(person.get("/portal/settings/keys"));
    proxy.set({ kind: "pass" });
  }
  return { secrets, statuses, said: command.stderr };
}

interface Bad {
  readonly told: (answer: Promise<Response>) => Promise<string>;
  readonly link: string;
  readonly second: string;
  readonly password: string;
  readonly form: string;
}

/** Sends secrets in wrong places, in requests that are refused. */
async function badRequests(person: Visitor, { told, link, second, password, form }: Bad): Promise<void> {
  for (const path of [
    `${link}/more`,
    `/portal/${second}`,
    `/portal?next=${second}`,
    `/portal/join/%zz${second}`,
    `/portal/join/${second}%00`,
  ])
    await told(person.get(path));
  await told(person.post(`/portal/settings/keys/${second}/revoke`, { token: form, password }));
  await told(person.post("/portal/sign-in", { password, more: "x".repeat(70_000) }));
  await told(person.post("/portal/sign-in", { password, more: "\0" }));
  await told(person.post("/portal/sign-in", { password }, { "content-type": "application/json" }));
  await told(person.post("/portal/sign-in", { password }, { origin: `https://${second}.example` }));
  await told(person.post("/portal/settings/keys", { token: second, name: password }));
}

interface Keeping {
  readonly told: (answer: Promise<Response>) => Promise<string>;
  readonly keep: (what: string, secret: string | null | undefined) => string;
  readonly keepCookies: (who: Visitor, when: string) => void;
}

/** Signs in by the provider: correctly, again with the same code, and with a code that the provider never gave. */
async function signInByProvider(roles: SeparateRoles, provider: IdentityProvider, { told, keep, keepCookies }: Keeping): Promise<void> {
  provider.account = { email, email_verified: true };
  const browser = visitor(roles.url);
  const there = visitor(provider.issuer);
  let next = (await browser.get("/portal/sso")).headers.get("location") ?? "";
  for (const name of ["state", "nonce", "code_challenge"]) keep(`the ${name}`, new URL(next).searchParams.get(name));
  keepCookies(browser, "on the way to the provider");
  for (let hop = 0; hop < 10 && !next.includes("/portal/sso/callback"); hop += 1)
    next = new URL((await there.get(next)).headers.get("location") ?? "", provider.issuer).href;
  const { pathname, search, searchParams } = new URL(next);
  keep("the code", searchParams.get("code"));
  const early = visitor(roles.url, new Map(browser.cookies));
  await told(browser.get(pathname + search));
  keepCookies(browser, "after single sign-on");
  await told(early.get(pathname + search));
  const again = visitor(roles.url);
  const begun = new URL((await again.get("/portal/sso")).headers.get("location") ?? "");
  const invented = keep("a code that was never given", unique());
  await told(again.get(`${pathname}?code=${invented}&state=${begun.searchParams.get("state")}&iss=${encodeURIComponent(provider.issuer)}`));
}
