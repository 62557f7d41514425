// The decider of a member. No other stream has the e-mail or the name, so an erasure deletes only this stream.
import type { Role } from "../../domain/members.js";
import type { Principal } from "../../domain/principal.js";
import { Rejection } from "../../domain/rejection.js";
import type { EventOn } from "../../events/registry.js";
import type { Aggregate } from "../handle.js";

/** The hash of a link's token, and when the link expires. */
export interface LinkHash {
  readonly linkSha256: string;
  readonly linkExpiresAt: string;
}

export type MemberCommand = { readonly by: Principal; readonly now: Date } & (
  | ({
      readonly type: "inviteMember";
      readonly organisationId: string;
      readonly email: string;
      readonly name?: string | undefined;
      readonly role: Role;
    } & LinkHash)
  | ({ readonly type: "makeLink" } & LinkHash)
  | { readonly type: "joinByLink"; readonly linkSha256: string; readonly passwordHash: string }
  | { readonly type: "joinBySingleSignOn" }
  | { readonly type: "changeRole"; readonly role: Role }
  | { readonly type: "renameMember"; readonly name: string }
  /** `currentHash`: the hash with which the caller has checked the member's current password. */
  | { readonly type: "changePassword"; readonly currentHash: string; readonly passwordHash: string }
  | { readonly type: "removeMember" }
  | { readonly type: "eraseMember" }
);

export interface MemberState {
  /** `none`: the stream is empty, or the member is being erased. */
  readonly status: "none" | "invited" | "active" | "removed";
  readonly email: string;
  readonly name: string | undefined;
  readonly role: Role;
  readonly link: LinkHash | undefined;
  /** Undefined for a member who has only signed in by single sign-on. */
  readonly passwordHash: string | undefined;
}

const noMember: MemberState = { status: "none", email: "", name: undefined, role: "viewer", link: undefined, passwordHash: undefined };

export function evolve(state: MemberState, event: EventOn<"member">): MemberState {
  switch (event.type) {
    case "MemberInvited": {
      const { email, name, role, linkSha256, linkExpiresAt } = event.data;
      return { status: "invited", email, name, role, link: { linkSha256, linkExpiresAt }, passwordHash: undefined };
    }
    case "MemberLinkMade":
      return { ...state, link: event.data };
    case "MemberJoined":
      return { ...state, status: "active", link: undefined };
    case "MemberPasswordSet":
      return { ...state, link: undefined, passwordHash: event.data.passwordHash };
    case "MemberRenamed":
      return { ...state, name: event.data.name };
    case "MemberRoleChanged":
      return { ...state, role: event.data.role };
    case "MemberRemoved":
      return { ...state, status: "removed", link: undefined, passwordHash: undefined };
    case "MemberErased":
      return noMember;
  }
}

export const memberAggregate: Aggregate<"member", MemberState> = { kind: "member", initial: () => noMember, evolve };

export function decide(command: MemberCommand, state: MemberState): EventOn<"member">[] {
  const { status } = state;
  const stamp = { by: command.by, at: command.now.toISOString() };
  switch (command.type) {
    case "inviteMember": {
      if (status === "invited")
        throw new Rejection("conflict", "This e-mail is already invited. Make a new sign-in link, or remove the invitation first");
      if (status === "active")
        throw new Rejection("conflict", "This e-mail already belongs to a member. Change their role, or make a new sign-in link");
      const { organisationId, email, name, role, linkSha256, linkExpiresAt } = command;
      return [{ type: "MemberInvited", data: { organisationId, email, name, role, linkSha256, linkExpiresAt, ...stamp } }];
    }
    case "makeLink": {
      expectPresent(state);
      const { linkSha256, linkExpiresAt } = command;
      return [{ type: "MemberLinkMade", data: { linkSha256, linkExpiresAt, ...stamp } }];
    }
    case "joinByLink": {
      const { link } = state;
      if (link?.linkSha256 !== command.linkSha256 || stamp.at >= link.linkExpiresAt || status === "removed") throw voidLinkRejection();
      const { passwordHash } = command;
      const joined: EventOn<"member">[] = status === "active" ? [] : [{ type: "MemberJoined", data: { how: "link", ...stamp } }];
      return [...joined, { type: "MemberPasswordSet", data: { passwordHash, ...stamp } }];
    }
    case "joinBySingleSignOn":
      return status === "invited" ? [{ type: "MemberJoined", data: { how: "singleSignOn", ...stamp } }] : [];
    case "changeRole":
      expectPresent(state);
      return state.role === command.role ? [] : [{ type: "MemberRoleChanged", data: { role: command.role, ...stamp } }];
    case "renameMember":
      expectPresent(state);
      return state.name === command.name ? [] : [{ type: "MemberRenamed", data: { name: command.name, ...stamp } }];
    case "changePassword":
      expectPresent(state);
      if (state.passwordHash !== command.currentHash) throw new Rejection("conflict", "Your password was changed just now. Sign in again");
      return [{ type: "MemberPasswordSet", data: { passwordHash: command.passwordHash, ...stamp } }];
    case "removeMember":
      return isPresent(state) ? [{ type: "MemberRemoved", data: stamp }] : [];
    case "eraseMember":
      return status === "none" ? [] : [{ type: "MemberErased", data: stamp }];
  }
}

/** Whether the command takes the admin role away from a member. Another admin then has to remain. */
export function takesAdmin(command: MemberCommand, state: MemberState): boolean {
  const isTaken =
    command.type === "changeRole" ? command.role !== "admin" : command.type === "removeMember" || command.type === "eraseMember";
  return isTaken && isAdmin(state);
}

export const isAdmin = (state: MemberState): boolean => state.role === "admin" && isPresent(state);

const isPresent = ({ status }: MemberState): boolean => status === "invited" || status === "active";

function expectPresent(state: MemberState): void {
  if (!isPresent(state)) throw new Rejection("conflict", "This member was removed. Invite the e-mail again");
}

export const voidLinkRejection = () =>
  new Rejection("notFound", "This link has expired or was already used. Ask an admin of your organisation for a new one");
