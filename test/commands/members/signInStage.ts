// Members who sign in, each attempt from another address.
import { createPasswordCheck, type KnownBrowser, type SignInAnswer } from "../../../src/commands/members/signIn.js";
import type { Passwords } from "../../../src/ports/people.js";
import { goodPassword, type MemberStage, startMemberStage } from "./support.js";

export interface SignInStage extends MemberStage {
  /** How many password checks were made so far. A test may set it back to 0. */
  verifications: number;
  attempt(email: string, password?: string, address?: string, known?: KnownBrowser): Promise<SignInAnswer>;
  /** An organisation with an admin `boss-...` and a member of this role. */
  team(name: string, role?: string): Promise<{ organisationId: string; email: string; memberId: string }>;
}

export const signingSecret = "a secret of thirty-two characters";

let addresses = 0;
export const elsewhere = () => {
  addresses += 1;
  return `192.0.2.${addresses % 250}`;
};

export async function startSignInStage(): Promise<SignInStage> {
  const members = await startMemberStage();
  const { passwords } = members.members;
  const counting: Passwords = {
    ...passwords,
    matches: (password, hash) => {
      stage.verifications += 1;
      return passwords.matches(password, hash);
    },
  };
  const signIn = createPasswordCheck({ ...members.members, passwords: counting, signingSecret });
  const stage: SignInStage = {
    ...members,
    verifications: 0,
    attempt: (email, password = goodPassword, address = elsewhere(), knownBrowser = undefined) =>
      signIn({ email, password, address, knownBrowser }),
    team: async (name, role = "operator") => {
      const organisationId = await members.organisation();
      await members.join(organisationId, `boss-${name}@example.com`);
      const email = `${name}@example.com`;
      return { organisationId, email, memberId: await members.join(organisationId, email, role) };
    },
  };
  return stage;
}
