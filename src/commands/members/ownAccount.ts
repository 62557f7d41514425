// What members change about themselves: the name and the password.
import { parseName, passwordFault } from "../../domain/members.js";
import { Rejection } from "../../domain/rejection.js";
import { passwordHashOf } from "../../queries/lookUps/members.js";
import { changeMember, type MemberDeps } from "./changeMember.js";
import { openSession, type Session } from "./sessions.js";
import type { createPasswordCheck, KnownBrowser } from "./signIn.js";

/** The same name again changes nothing. */
export async function renameMember(
  deps: MemberDeps,
  person: Pick<Session, "organisationId" | "memberId" | "by">,
  given: string,
  correlationId: string,
): Promise<string> {
  const name = parseName(given);
  if (name === undefined) throw new Rejection("invalid", "Give your name");
  await changeMember(deps, person, { type: "renameMember", name, by: person.by, now: await deps.now() }, correlationId);
  return name;
}

export interface PasswordChange {
  readonly current: string;
  readonly chosen: string;
  /** Where the request comes from, and the browser if it is known: wrong passwords are slowed down as at the sign-in. */
  readonly address: string;
  readonly known: KnownBrowser | undefined;
  /** What the list of sessions calls the browser. */
  readonly browserName: string;
}

export type PasswordChangeResult =
  /** The token of this browser's new session; undefined where the member has changed once more meanwhile. */
  | { readonly kind: "changed"; readonly token: string | undefined }
  | { readonly kind: "wrong" }
  | { readonly kind: "wait"; readonly seconds: number };

/**
 * Ends every session of the member and opens a new one for this browser. Its token is new too: whoever has copied the cookie is signed out
 * as well.
 */
export async function changePassword(
  deps: MemberDeps & { readonly checkPassword: ReturnType<typeof createPasswordCheck> },
  person: Session,
  { current, chosen, address, known, browserName }: PasswordChange,
  correlationId: string,
): Promise<PasswordChangeResult> {
  const { memberId, organisationId, email } = person;
  const currentHash = await passwordHashOf(organisationId, memberId, deps.pool);
  if (currentHash === undefined) throw new Rejection("conflict", "You have no password. You sign in with single sign-on");
  ensureAccepted(deps, person, current, chosen);
  const answer = await deps.checkPassword({ email, password: current, address, known, memberId });
  if (answer.kind === "refused") return { kind: "wrong" };
  if (answer.kind === "wait") return answer;
  const passwordHash = await deps.passwords.hash(chosen);
  const command = { type: "changePassword", currentHash, passwordHash, by: person.by, now: await deps.now() } as const;
  const { revision } = await changeMember(deps, person, command, correlationId);
  return {
    kind: "changed",
    token: await openSession(deps.pool, { memberId, credentialsRevision: String(revision) }, undefined, browserName),
  };
}

/** The rules for new passwords, judged before the current one is looked at, so that a refusal tells nothing about it. */
function ensureAccepted({ passwords }: MemberDeps, person: Session, current: string, chosen: string): void {
  const { email, organisationName, organisationId, name } = person;
  const fault = passwordFault(chosen, [email, organisationName, organisationId, name], passwords.isCommon);
  if (fault) throw new Rejection("invalid", fault);
  if (chosen === current) throw new Rejection("invalid", "Choose a new password that is not the current one");
}
