// One request, as pages, forms and answers get it, and the refusal of visitors who may not do what they ask for.
import type { Context } from "hono";
import type { Session } from "../../commands/members/sessions.js";
import { may } from "../../domain/members.js";
import { Rejection } from "../../domain/rejection.js";
import { type ReadingRequest, readPatienceMs } from "../server/answerInTime.js";
import type { AppEnv } from "../server/aroundRequest.js";
import { Problem } from "../server/problem.js";
import type { BodyRequest } from "../server/readBody.js";
import { receiveUpload, type Upload } from "../server/receiveUpload.js";
import { noFields } from "./fields.js";
import { type Access, noticeShape, type PortalDeps, type Visit } from "./pageDefinition.js";
import { redirect } from "./pageResponse.js";
import { sealedCookie } from "./sessions/cookies.js";
import { ensureOwnPage, maskToken } from "./sessions/sameOrigin.js";
import { withQuery } from "./shell/parts.js";

/** Whose notices and forms these are: a session, by its form token. All visitors without one are one owner. */
export const ownerOf = (person: Session | undefined): string => person?.formToken ?? "signed out";

/**
 * What a form has to say on the page it leads to: sealed in a cookie, since that page may come from another process, and a new key must
 * stand in no table. It belongs to one session and is read once.
 */
export const noticeCookie = (deps: PortalDeps, owner: string) => sealedCookie(deps, "waybill_notice", `notice of ${owner}`, noticeShape);

/** The limits for reading a body. Its memory is counted towards the share of the visitor's organisation. */
export function bodyRequest({ context, person, recheckAccess }: Visit, limit: number): BodyRequest {
  const incoming = context.env?.incoming;
  return { limit, organisationId: person?.organisationId ?? "", recheckAccess, bytesRead: incoming && (() => incoming.socket.bytesRead) };
}

/** A request that reads, for its organisation's share of the database. */
export const readingOf = ({ context, person }: Visit, what: string): ReadingRequest => ({
  organisationId: person?.organisationId ?? "",
  clientLeft: context.req.raw.signal,
  ms: readPatienceMs,
  what,
});

/** The file of a form, which is sent by a browser or by a page's script. The token is checked before the file. The caller removes the folder. */
export function receiveFormFile(visit: Visit, deps: PortalDeps, fields: readonly string[] = []): Promise<Upload> {
  const { context: c, person, recheckAccess } = visit;
  const incoming = c.env?.incoming;
  if (!incoming) throw new Error("an upload needs a socket");
  const beforeFile = (sent: ReadonlyMap<string, string>) => ensureOwnPage(c, deps.publicUrl, person?.formToken, sent.get("token"));
  return receiveUpload(incoming, deps.tempDir, { fields: ["token", ...fields], beforeFile, recheckAccess });
}

/** Looks the session up. `access`: that of the page, form or answer which is requested. */
export async function loadVisit(c: Context<AppEnv>, access: Access, deps: PortalDeps): Promise<Visit> {
  return createVisit(c, await deps.sessionOf(c), access, deps);
}

export function createVisit(c: Context<AppEnv>, person: Session | undefined, access: Access, deps: PortalDeps): Visit {
  const { links, assets } = deps;
  return {
    path: c.req.path,
    params: c.req.param() as Record<string, string>,
    query: c.req.query(),
    requestId: c.get("requestId"),
    context: c,
    person,
    may: (needed: Access) => needed === "anyone" || (person !== undefined && may(person.role, needed)),
    recheckAccess: async () => {
      if (access !== "anyone") expectAccess(await loadVisit(c, access, deps), access);
    },
    formToken: person ? maskToken(person.formToken) : "",
    links,
    assets,
    notice: noticeCookie(deps, ownerOf(person)).read(c),
    submitted: noFields,
  };
}

/** The answer to a visitor who may not do this; undefined for one who may. A signed-out visitor is sent to sign-in, and from there back. */
export function refusalPage(visit: Visit, access: Access): Response | undefined {
  if (visit.may(access)) return undefined;
  if (visit.person) throw wrongRole();
  const { context: c, path, links } = visit;
  const isGet = c.req.method === "GET";
  const wanted = isGet ? path + new URL(c.req.url).search : "/portal";
  return redirect(c, links.to(withQuery("/portal/sign-in", { next: wanted === "/portal" ? undefined : wanted })), isGet ? 302 : 303);
}

/** The same for a script. It gets an error, since it cannot be sent to the sign-in. */
export function expectAccess(visit: Visit, access: Access): void {
  if (visit.may(access)) return;
  if (visit.person) throw wrongRole();
  throw new Problem("unauthorised", "You are signed out. Sign in to continue");
}

const wrongRole = () => new Rejection("forbidden", "Your role does not allow this. Ask an admin of your organisation");
