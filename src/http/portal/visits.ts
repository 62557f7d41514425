// Creates the `Visit` that pages, forms and answers get for a request, and refuses visitors who lack access.
import type { Context } from "hono";
import type { Session } from "../../commands/members/sessions.js";
import { may } from "../../domain/members.js";
import { Rejection } from "../../domain/rejection.js";
import { maxReadMs, type ReadInTimeOptions } from "../server/answerInTime.js";
import { Problem } from "../server/problem.js";
import type { BodyRequest } from "../server/readBody.js";
import { receiveUpload, type Upload } from "../server/receiveUpload.js";
import type { AppEnv } from "../server/requestMiddleware.js";
import { noFields } from "./fields.js";
import { type Access, noticeShape, type PortalDeps, type Visit } from "./pageDefinition.js";
import { redirect } from "./pageResponse.js";
import { sealedCookie } from "./sessions/cookies.js";
import { ensureOwnPage, maskToken } from "./sessions/sameOrigin.js";
import { withQuery } from "./shell/markup.js";

/** The owner of a notice: a session, named by its form token. All signed-out visitors count as one owner. */
export const ownerOf = (person: Session | undefined): string => person?.formToken ?? "signed out";

/**
 * Carries a form's notice to the page that follows it. The notice is sealed in a cookie, because another process may serve that page and a
 * new key must not be stored in a table. Only one session can read it, and the page that shows it clears the cookie.
 */
export const noticeCookie = (deps: PortalDeps, owner: string) => sealedCookie(deps, "waybill_notice", `notice of ${owner}`, noticeShape);

/** The options for reading a body. Its bytes count towards the limit of the visitor's organisation. */
export function bodyRequest({ context, person, recheckAccess }: Visit, limit: number): BodyRequest {
  const incoming = context.env?.incoming;
  return { limit, organisationId: person?.organisationId ?? "", recheckAccess, bytesRead: incoming && (() => incoming.socket.bytesRead) };
}

/** The options for a request that only reads: its time limit, and the organisation whose share of the database connections it uses. */
export const readingRequestOf = ({ context, person }: Visit, operation: string): ReadInTimeOptions => ({
  organisationId: person?.organisationId ?? "",
  clientLeft: context.req.raw.signal,
  maxMs: maxReadMs,
  operation,
});

/** Receives a form with a file, and checks the form's token before it reads the file. The caller removes the upload's `folder`. */
export function receiveFormFile(visit: Visit, deps: PortalDeps, fields: readonly string[] = []): Promise<Upload> {
  const { context: c, person, recheckAccess } = visit;
  const incoming = c.env?.incoming;
  if (!incoming) throw new Error("an upload needs a socket");
  const beforeFile = (sent: ReadonlyMap<string, string>) => ensureOwnPage(c, deps.publicUrl, person?.formToken, sent.get("token"));
  return receiveUpload(incoming, deps.tempDir, { fields: ["token", ...fields], beforeFile, recheckAccess });
}

/** Looks up the request's session and creates the visit. `access`: what the requested page, form or answer requires. */
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

/** Sends a signed-out visitor to the sign-in, and throws for a member without the needed role. Undefined if the visitor has access. */
export function refusalPage(visit: Visit, access: Access): Response | undefined {
  if (visit.may(access)) return undefined;
  if (visit.person) throw wrongRole();
  const { context: c, path, links } = visit;
  const isGet = c.req.method === "GET";
  const next = isGet ? path + new URL(c.req.url).search : "/portal";
  return redirect(c, links.to(withQuery("/portal/sign-in", { next: next === "/portal" ? undefined : next })), isGet ? 302 : 303);
}

/** Throws if the visitor lacks access. For scripts, which cannot be redirected to the sign-in. */
export function expectAccess(visit: Visit, access: Access): void {
  if (visit.may(access)) return;
  if (visit.person) throw wrongRole();
  throw new Problem("unauthorised", "You are signed out. Sign in to continue");
}

const wrongRole = () => new Rejection("forbidden", "Your role does not allow this. Ask an admin of your organisation");
