// People in the portal: members of organisations, and browsers as far as cookies and forms go.
import { randomUUID } from "node:crypto";
import { joinByLink } from "../../../src/commands/members/joinOrganisation.js";
import { inviteMember } from "../../../src/commands/members/manageMembers.js";
import { openSession } from "../../../src/commands/members/sessions.js";
import type { Role } from "../../../src/domain/members.js";
import { quickly } from "../quickHash.js";
import type { TestService } from "../service.js";

export const password = "seven lazy harbours";
const by = { kind: "cli", id: "test" } as const;

export interface TestMember {
  readonly memberId: string;
  readonly email: string;
}

export async function addMember(
  service: TestService,
  organisationId: string,
  role: Role,
  email = `${role}-${randomUUID()}@example.com`,
  hashing = quickly,
): Promise<TestMember> {
  const { members } = service.portal;
  const invitation = { organisationId, email, role, name: `The ${role}` };
  const { token } = await inviteMember(members, invitation, { by, correlationId: "test" });
  const { memberId } = await joinByLink({ ...members, passwords: hashing(members.passwords) }, { token, password }, "test");
  return { memberId, email };
}

/** A browser as far as cookies go: it keeps them, and follows no redirect. */
export interface Visitor {
  cookies: Map<string, string>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends fields as a form of the portal does. The test adds the session's form token as the field `token`. */
  post(path: string, fields?: Readonly<Record<string, string | readonly string[]>>, headers?: Record<string, string>): Promise<Response>;
  /** The same for a form with a file, which comes after the fields. */
  upload(path: string, fields: Record<string, string>, file: File, headers?: Record<string, string>): Promise<Response>;
}

export function visitor(url: string, cookies: Map<string, string> = new Map()): Visitor {
  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...(cookie === "" ? {} : { cookie }), ...(init.headers as Record<string, string>) };
    const response = await fetch(path.startsWith("http") ? path : `${url}${path}`, { ...init, headers, redirect: "manual" });
    for (const set of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = set.split("; ");
      const [name = "", value = ""] = pair.split("=");
      if (attributes.includes("Max-Age=0")) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
  return {
    cookies,
    get: (path, headers = {}) => send(path, { headers: { accept: "text/html", ...headers } }),
    post: (path, fields = {}, headers = {}) =>
      send(path, {
        method: "POST",
        headers: { origin: new URL(url).origin, "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams(
          Object.entries(fields).flatMap(([name, values]) => [values].flat().map((value) => [name, value])) as [string, string][],
        ).toString(),
      }),
    upload: (path, fields, file, headers = {}) => {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.append(name, value);
      body.append("file", file);
      return send(path, { method: "POST", headers: { origin: new URL(url).origin, ...headers }, body });
    },
  };
}

/** A visitor who is signed in as the member, without the sign-in page. */
export async function signedIn(service: TestService, { memberId }: TestMember, browser?: string): Promise<Visitor> {
  const { rows } = await service.pool.query<{ revision: string }>(
    "select credentials_revision as revision from members where member_id = $1",
    [memberId],
  );
  const token = await openSession(service.pool, { memberId, credentialsRevision: rows[0]?.revision ?? "" }, undefined, browser);
  return visitor(service.url, new Map([["waybill", token ?? ""]]));
}

const sessions = new WeakMap<TestService, Map<string, Promise<Visitor>>>();

/** One session of the member for all tests of a file, none of which may end it. Another name gives another session. */
export function sharedSession(service: TestService, member: TestMember, name = ""): Promise<Visitor> {
  const ofService = sessions.get(service) ?? new Map<string, Promise<Visitor>>();
  sessions.set(service, ofService);
  const session = ofService.get(`${member.memberId}${name}`) ?? signedIn(service, member);
  ofService.set(`${member.memberId}${name}`, session);
  return session;
}

const tokens = new WeakMap<Visitor, { readonly session: string; readonly token: Promise<string> }>();

/** The token that the forms of this visitor's pages carry; it stays the same as long as the session. */
export function formToken(who: Visitor): Promise<string> {
  const session = who.cookies.get("waybill") ?? "";
  const known = tokens.get(who);
  if (known?.session === session) return known.token;
  const token = readFormToken(who);
  tokens.set(who, { session, token });
  return token;
}

async function readFormToken(who: Visitor): Promise<string> {
  const page = await (await who.get("/portal/search")).text(); // a page that every role may see and that needs few queries
  const token = /name="token" value="([^"]+)"/.exec(page)?.[1];
  if (token === undefined) throw new Error("the page has no form token: is nobody signed in?");
  return token;
}

/** A page's text without its form token, which is another one on every page. */
export const withoutToken = (page: string): string => page.replaceAll(/(content|value)="[\w-]{86}"/g, "");

export const heading = (page: string): string => /<h1>([^<]*)<\/h1>/.exec(page)?.[1] ?? "";
