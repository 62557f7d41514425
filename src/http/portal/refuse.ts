import { Rejection } from "../../domain/rejection.js";
import { Problem } from "../server/problem.js";
import { redirect } from "./headers.js";
import type { Access, Visit } from "./visit.js";

/** The answer to a visitor who may not do this; undefined for one who may. A signed-out visitor is sent to sign-in, and from there back. */
export function refuse(visit: Visit, access: Access): Response | undefined {
  if (visit.may(access)) return undefined;
  ensureRole(visit);
  const { context: c, path, links } = visit;
  const asked = c.req.method === "GET" ? path + new URL(c.req.url).search : "/portal";
  const query = asked === "/portal" ? "" : `?next=${encodeURIComponent(asked)}`;
  return redirect(c, links.to(`/portal/sign-in${query}`), c.req.method === "GET" ? 302 : 303);
}

/** The same for a script. It gets an error, since it cannot be sent to the sign-in. */
export function refuseScript(visit: Visit, access: Access): void {
  if (visit.may(access)) return;
  ensureRole(visit);
  throw new Problem("unauthorised", "You are signed out. Sign in again to go on");
}

function ensureRole({ person }: Visit): void {
  if (person) throw new Rejection("forbidden", "Your role does not allow this. Ask an admin of your organisation");
}
