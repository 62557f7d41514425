import { startSession } from "../../../commands/members/join.js";
import type { NamelessMember } from "../../../commands/members/sessions.js";
import { Rejection } from "../../../domain/rejection.js";
import type { Done, PortalDeps } from "../page.js";
import { rememberBrowser } from "../sessions/knownBrowser.js";
import type { SignInWay } from "../sessions/signInLog.js";
import type { Visit } from "../visit.js";

/** Opens a new session, even if the browser had one, and redirects to the page that the person asked for. */
export async function enter(member: NamelessMember, next: string, way: SignInWay, visit: Visit, deps: PortalDeps): Promise<Done> {
  const { context, requestId } = visit;
  const { members, sessionCookie, signInLog } = deps;
  const token = await startSession(members, member, { oldToken: sessionCookie.read(context), correlationId: requestId });
  if (token === undefined) {
    signInLog.refused(context, way, "the membership has changed meanwhile");
    throw new Rejection("conflict", "Your membership has changed just now. Sign in again");
  }
  sessionCookie.write(context, token);
  rememberBrowser(deps, context, member.memberId);
  signInLog.signedIn(context, way, member);
  return { goTo: next };
}
