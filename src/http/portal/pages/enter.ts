import { openSession, type VerifiedMember } from "../../../commands/members/sessions.js";
import { Rejection } from "../../../domain/rejection.js";
import type { Done, PortalDeps } from "../page.js";
import type { Visit } from "../visit.js";

/** Opens a new session, whatever the browser had before, and goes on to where the person was headed. */
export async function enter(member: VerifiedMember, next: string, visit: Visit, { pool, sessionCookie }: PortalDeps): Promise<Done> {
  const token = await openSession(pool, member, sessionCookie.read(visit.cookies));
  if (token === undefined) throw new Rejection("conflict", "Your membership has changed just now. Sign in again");
  return { goTo: next, cookies: [sessionCookie.set(token)] };
}
