import { expect, test } from "vitest";
import { decide, type MemberCommand, memberAggregate, takesAdmin } from "../../../src/commands/members/memberDecider.js";
import type { Role } from "../../../src/domain/members.js";
import type { EventOn } from "../../../src/events/registry.js";
import { givenWhenThen } from "../givenWhenThen.js";

type MemberEvent = EventOn<"member">;
const given = givenWhenThen({ ...memberAggregate, decide });

const now = new Date("2026-03-01T00:00:00Z");
const by = { kind: "cli" as const, id: "operator" };
const caused = { by, at: now.toISOString() };
const link = (token: string, linkExpiresAt = "2026-03-04T00:00:00.000Z") => ({ linkSha256: `hash of ${token}`, linkExpiresAt });
const person = { organisationId: "demo", email: "ada@example.com", name: "Ada" };

const invite: MemberCommand = { type: "inviteMember", ...person, role: "admin", ...link("first"), by, now };
const newLink: MemberCommand = { type: "makeLink", ...link("second"), by, now };
const joinBy = (token: string): MemberCommand => ({ type: "joinByLink", linkSha256: `hash of ${token}`, passwordHash: "argon2", by, now });
const singleSignOn: MemberCommand = { type: "joinBySingleSignOn", by, now };
const changeRole = (role: Role): MemberCommand => ({ type: "changeRole", role, by, now });
const rename = (name: string): MemberCommand => ({ type: "renameMember", name, by, now });
const newPassword = (currentHash: string): MemberCommand => ({ type: "changePassword", currentHash, passwordHash: "new hash", by, now });
const remove: MemberCommand = { type: "removeMember", by, now };
const erase: MemberCommand = { type: "eraseMember", by, now };

const invited: MemberEvent = { type: "MemberInvited", data: { ...person, role: "admin", ...link("first"), ...caused } };
const linkMade: MemberEvent = { type: "MemberLinkMade", data: { ...link("second"), ...caused } };
const joined: MemberEvent = { type: "MemberJoined", data: { how: "link", ...caused } };
const passwordSet: MemberEvent = { type: "MemberPasswordSet", data: { passwordHash: "argon2", ...caused } };
const joinedBySingleSignOn: MemberEvent = { type: "MemberJoined", data: { how: "singleSignOn", ...caused } };
const roleChanged = (role: Role): MemberEvent => ({ type: "MemberRoleChanged", data: { role, ...caused } });
const renamed = (name: string): MemberEvent => ({ type: "MemberRenamed", data: { name, ...caused } });
const passwordChanged: MemberEvent = { type: "MemberPasswordSet", data: { passwordHash: "new hash", ...caused } };
const removed: MemberEvent = { type: "MemberRemoved", data: caused };
const erased: MemberEvent = { type: "MemberErased", data: caused };

test("an e-mail is invited once, and again after the member was removed or forgotten", () => {
  given().when(invite).decides(invited);
  given(invited).when(invite).isRejected("conflict", "This e-mail is already invited.");
  given(invited, joined, passwordSet).when(invite).isRejected("conflict", "This e-mail already belongs to a member.");
  given(invited, removed).when(invite).decides(invited);
  given(invited, erased).when(invite).decides(invited);
});

test("an invited member joins by the link, once; a member who has joined sets a new password by a new link", () => {
  given(invited).when(joinBy("first")).decides(joined, passwordSet);
  given(invited, joined, passwordSet).when(joinBy("first")).isRejected("notFound", "This link has expired or was already used.");
  given(invited, joined, passwordSet, linkMade).when(joinBy("second")).decides(passwordSet);
});

test("a link is void when a new one was made, when its time is up, and when the member joined without it or was removed", () => {
  const expired: MemberEvent = { type: "MemberLinkMade", data: { ...link("late", caused.at), ...caused } };
  for (const [token, ...events] of [
    ["first", invited, linkMade],
    ["late", invited, expired],
    ["first", invited, joinedBySingleSignOn],
    ["first", invited, removed],
    ["another", invited],
    ["first"],
  ] as [string, ...MemberEvent[]][]) {
    given(...events)
      .when(joinBy(token))
      .isRejected("notFound", "Ask an admin of your organisation for a new one");
  }
});

test("single sign-on lets an invited member join, and decides nothing for others", () => {
  given(invited).when(singleSignOn).decides(joinedBySingleSignOn);
  given(invited, joinedBySingleSignOn).when(singleSignOn).decidesNothing();
  given(invited, removed).when(singleSignOn).decidesNothing();
});

test("a present member gets new links and roles; a removed one does not", () => {
  given(invited).when(newLink).decides(linkMade);
  given(invited, joined).when(changeRole("viewer")).decides(roleChanged("viewer"));
  for (const command of [newLink, changeRole("viewer")])
    given(invited, removed).when(command).isRejected("conflict", "This member was removed. Invite the e-mail again");
});

test("a present member takes another name; the same one, also that of the invitation, decides nothing", () => {
  given(invited, joined).when(rename("Ada Lovelace")).decides(renamed("Ada Lovelace"));
  given(invited, joined).when(rename("Ada")).decidesNothing();
  given(invited, joined, renamed("Ada Lovelace")).when(rename("Ada Lovelace")).decidesNothing();
  given(invited, joined, renamed("Ada Lovelace")).when(rename("Ada")).decides(renamed("Ada"));
  given(invited, joined, renamed("Ada Lovelace"), removed, invited).when(rename("Ada Lovelace")).decides(renamed("Ada Lovelace"));
  for (const events of [[], [invited, removed], [invited, erased]])
    given(...events)
      .when(rename("Ada Lovelace"))
      .isRejected("conflict", "This member was removed.");
});

test("a password is changed by who has given the one that the stream has", () => {
  given(invited, joined, passwordSet).when(newPassword("argon2")).decides(passwordChanged);
  given(invited, joined, passwordSet, passwordChanged).when(newPassword("argon2")).isRejected("conflict", "was changed just now");
  given(invited, joinedBySingleSignOn).when(newPassword("argon2")).isRejected("conflict", "was changed just now");
  given(invited, joined, passwordSet, removed).when(newPassword("argon2")).isRejected("conflict", "This member was removed.");
  given(invited, joined, passwordSet, removed, invited).when(newPassword("argon2")).isRejected("conflict", "was changed just now");
});

test("a changed password ends the link that was made before it", () => {
  given(invited, joined, passwordSet, linkMade, passwordChanged)
    .when(joinBy("second"))
    .isRejected("notFound", "This link has expired or was already used");
});

test("the same role, a second removal and a second erasure decide nothing", () => {
  given(invited).when(changeRole("admin")).decidesNothing();
  given(invited).when(remove).decides(removed);
  given(invited, removed).when(remove).decidesNothing();
  given(invited, removed).when(erase).decides(erased);
  given(invited, removed, erased).when(erase).decidesNothing();
});

test("an admin is taken away by a removal, an erasure and another role, unless the member is no present admin", () => {
  const state = (...events: MemberEvent[]) => events.reduce(memberAggregate.evolve as never, memberAggregate.initial());
  const admin = state(invited, joined);
  expect([remove, erase, changeRole("operator")].map((command) => takesAdmin(command, admin))).toEqual([true, true, true]);
  expect([newLink, singleSignOn, changeRole("admin")].map((command) => takesAdmin(command, admin))).toEqual([false, false, false]);
  for (const none of [state(), state(invited, removed), state(invited, roleChanged("viewer"))]) expect(takesAdmin(erase, none)).toBe(false);
});
