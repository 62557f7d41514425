import type { NamelessMember } from "../../../commands/members/sessions.js";
import { startSession } from "../../../commands/members/singleSignOn.js";
import { Rejection } from "../../../domain/rejection.js";
import type { Done, PortalDeps } from "../page.js";
import type { Visit } from "../visit.js";

/** Opens a new session, even if the browser had one, and redirects to the page that the person asked for. */
export async function enter(member: NamelessMember, next: string, visit: Visit, { members, sessionCookie }: PortalDeps): Promise<Done> {
  const { context, requestId } = visit;
  const token = await startSession(members, member, { oldToken: sessionCookie.read(context), correlationId: requestId });
  if (token === undefined) throw new Rejection("conflict", "Your membership has changed just now. Sign in again");
  sessionCookie.write(context, token);
  return { goTo: next };
}
