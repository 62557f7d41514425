// The commands of members about themselves: change the name or the password.
import { parseName, passwordFault } from "../../domain/members.js";
import { Rejection } from "../../domain/rejection.js";
import { passwordHashOf } from "../../queries/lookUps/members.js";
import { changeMember, type MemberDeps } from "./changeMember.js";
import { openSession, type Session } from "./sessions.js";
import type { createPasswordCheck, KnownBrowser } from "./signIn.js";

/** The same name again changes nothing. */
export async function renameMember(
  deps: MemberDeps,
  member: Pick<Session, "organisationId" | "memberId" | "by">,
  newName: string,
  correlationId: string,
): Promise<string> {
  const name = parseName(newName);
  if (name === undefined) throw new Rejection("invalid", "Give your name");
  await changeMember(deps, member, { type: "renameMember", name, by: member.by, now: await deps.now() }, correlationId);
  return name;
}

export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
  /** The request's IP address and, if known, the browser. They slow down the guessing of the current password, as at the sign-in. */
  readonly address: string;
  readonly knownBrowser: KnownBrowser | undefined;
  /** What the list of sessions calls the browser. */
  readonly browserName: string;
}

export type PasswordChangeResult =
  /** The token of this browser's new session; undefined if the member has changed again since. */
  | { readonly kind: "changed"; readonly token: string | undefined }
  | { readonly kind: "wrong" }
  | { readonly kind: "wait"; readonly seconds: number };

/** Ends every session of the member and opens a new one for this browser. Its token is new, so that a copied cookie no longer works. */
export async function changePassword(
  deps: MemberDeps & { readonly checkPassword: ReturnType<typeof createPasswordCheck> },
  session: Session,
  { currentPassword, newPassword, address, knownBrowser, browserName }: PasswordChange,
  correlationId: string,
): Promise<PasswordChangeResult> {
  const { memberId, organisationId, email } = session;
  const currentHash = await passwordHashOf(organisationId, memberId, deps.pool);
  if (currentHash === undefined) throw new Rejection("conflict", "You have no password. You sign in with single sign-on");
  expectAcceptablePassword(deps, session, currentPassword, newPassword);
  const answer = await deps.checkPassword({ email, password: currentPassword, address, knownBrowser, memberId });
  if (answer.kind === "refused") return { kind: "wrong" };
  if (answer.kind === "wait") return answer;
  const passwordHash = await deps.passwords.hash(newPassword);
  const command = { type: "changePassword", currentHash, passwordHash, by: session.by, now: await deps.now() } as const;
  const { revision } = await changeMember(deps, session, command, correlationId);
  return {
    kind: "changed",
    token: await openSession(deps.pool, { memberId, credentialsRevision: String(revision) }, undefined, browserName),
  };
}

/** Applies the rules for new passwords. Called before the current password is checked, so that a rejection reveals nothing about it. */
function expectAcceptablePassword({ passwords }: MemberDeps, session: Session, currentPassword: string, newPassword: string): void {
  const { email, organisationName, organisationId, name } = session;
  const fault = passwordFault(newPassword, [email, organisationName, organisationId, name], passwords.isCommon);
  if (fault) throw new Rejection("invalid", fault);
  if (newPassword === currentPassword) throw new Rejection("invalid", "Choose a new password that is not the current one");
}
