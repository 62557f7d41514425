import type { MemberDeps } from "../../../src/commands/members/changeMember.js";
import { joinByLink } from "../../../src/commands/members/joinOrganisation.js";
import { inviteMember } from "../../../src/commands/members/manageMembers.js";
import { applyOrganisation } from "../../../src/commands/organisations/organisation.js";
import { memberDeps } from "../../../src/main/adapters.js";
import { quickly } from "../../support/quickHash.js";
import { type CommandStores, fileFor, newOrganisation, origin, startCommandStores } from "../support.js";

export interface MemberStage extends CommandStores {
  readonly members: MemberDeps;
  organisation(): Promise<string>;
  /** Invites a member, who joins with this password. */
  join(organisationId: string, email: string, role?: string, password?: string): Promise<string>;
}

export const goodPassword = "seven lazy harbours";

export async function startMemberStage(): Promise<MemberStage> {
  const stores = await startCommandStores();
  const members = memberDeps({ pool: stores.database.pool, eventStore: stores.events });
  return {
    ...stores,
    members,
    organisation: async () => {
      const id = newOrganisation();
      await applyOrganisation(stores.deps, fileFor(id), origin);
      return id;
    },
    join: async (organisationId, email, role = "admin", password = goodPassword) => {
      const { token, memberId } = await inviteMember(members, { organisationId, email, role }, origin);
      await joinByLink({ ...members, passwords: quickly(members.passwords) }, { token, password }, "test");
      return memberId;
    },
  };
}
