// A member, folded from its stream. No other stream has the e-mail or the name, so that erasing a member deletes one stream.
import type { Role } from "../../domain/members.js";
import type { RecordedOn } from "../../events/codec.js";
import type { Aggregate } from "../handle.js";

export interface MemberState {
  /** `none`: the stream is empty, or the person is being forgotten. */
  readonly status: "none" | "invited" | "active" | "removed";
  readonly organisationId: string;
  readonly email: string;
  readonly name: string | undefined;
  readonly role: Role;
  readonly hasPassword: boolean;
  readonly link: { readonly sha256: string; readonly expiresAt: string } | undefined;
}

const noMember: MemberState = {
  status: "none",
  organisationId: "",
  email: "",
  name: undefined,
  role: "viewer",
  hasPassword: false,
  link: undefined,
};

export function memberAggregate(memberId: string): Aggregate<"member", MemberState> {
  return { kind: "member", id: memberId, initial: () => noMember, evolve };
}

function evolve(state: MemberState, event: RecordedOn<"member">): MemberState {
  switch (event.type) {
    case "MemberInvited": {
      const { organisationId, email, name, role, linkSha256, linkExpiresAt } = event.data;
      const link = { sha256: linkSha256, expiresAt: linkExpiresAt };
      return { status: "invited", organisationId, email, name, role, hasPassword: false, link };
    }
    case "MemberLinkMade":
      return { ...state, link: { sha256: event.data.linkSha256, expiresAt: event.data.linkExpiresAt } };
    case "MemberJoined":
      return { ...state, status: "active", link: undefined };
    case "MemberPasswordSet":
      return { ...state, hasPassword: true, link: undefined };
    case "MemberRoleChanged":
      return { ...state, role: event.data.role };
    case "MemberRemoved":
      return { ...state, status: "removed", hasPassword: false, link: undefined };
    case "MemberErased":
      return noMember;
  }
}

export const isAdmin = ({ status, role }: MemberState): boolean => role === "admin" && (status === "invited" || status === "active");
