import { afterAll, beforeAll, expect, test } from "vitest";
import { eraseMember, inviteMember, removeMember } from "../../../src/commands/members/manageMembers.js";
import { renameMember } from "../../../src/commands/members/ownAccount.js";
import { createKey } from "../../../src/commands/organisations/keys.js";
import type { Principal } from "../../../src/domain/principal.js";
import { principalNames } from "../../../src/queries/organisations/organisations.js";
import { origin } from "../support.js";
import { type MemberStage, startMemberStage } from "./support.js";

let stage: MemberStage;
beforeAll(async () => {
  stage = await startMemberStage();
});
afterAll(() => stage?.close());

test("members are shown by name or e-mail, and as a removed member once removed or erased", async () => {
  const organisationId = await stage.organisation();
  const { keyId, prefix } = await createKey(stage.deps, { organisationId, name: "scanner" }, origin);
  const invite = async (email: string, name?: string): Promise<Principal> => {
    const { memberId } = await inviteMember(stage.members, { organisationId, email, role: "viewer", name }, origin);
    return { kind: "member", id: memberId };
  };
  const named = await invite("ada@example.com", "Ada");
  const unnamed = await invite("bob@example.com");
  const renamed = await invite("eve@example.com", "Eve");
  await renameMember(stage.members, { organisationId, memberId: renamed.id, by: renamed }, "Eve Adams", "test");
  const removed = await invite("cyd@example.com", "Cyd");
  const erased = await invite("dee@example.com", "Dee");
  await removeMember(stage.members, { organisationId, member: "cyd@example.com" }, origin);
  await eraseMember(stage.members, { organisationId, member: "dee@example.com" }, origin);
  const all: Principal[] = [named, unnamed, renamed, removed, erased, { kind: "key", id: keyId }, { kind: "cli", id: "operator" }];
  const expected = [
    "Ada",
    "bob@example.com",
    "Eve Adams",
    "a removed member",
    "a removed member",
    `key scanner (${prefix}...)`,
    "the command line",
  ];
  expect(all.map(await principalNames(organisationId, stage.database.pool))).toEqual(expected);
  // Another organisation's member is not known here.
  expect((await principalNames(await stage.organisation(), stage.database.pool))(named)).toBe("a removed member");
});
