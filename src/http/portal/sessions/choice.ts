// An e-mail that is a member of several organisations: the password was right, and the person says which one. What was verified travels
// in the form, signed; a password is never sent back to a browser.
import { z } from "zod";
import type { NamelessMember } from "../../../commands/members/sessions.js";
import { readSignedValue, signValue } from "./signedValue.js";

const minutes = 5;
const purpose = "choice";
const choices = z.array(z.object({ memberId: z.string(), organisationId: z.string(), credentialsRevision: z.string() }));

export function signChoice(secret: string, members: readonly NamelessMember[], now: Date): string {
  const kept = members.map(({ memberId, organisationId, credentialsRevision }) => ({ memberId, organisationId, credentialsRevision }));
  return signValue(secret, purpose, kept, new Date(now.getTime() + minutes * 60_000));
}

/** The member of the chosen organisation; undefined where the choice has expired or names another organisation. */
export function chosenMember(
  secret: string,
  { signed, organisationId, now }: { signed: string | undefined; organisationId: string | undefined; now: Date },
): NamelessMember | undefined {
  const known = choices.safeParse(readSignedValue(secret, purpose, signed, now));
  return known.success ? known.data.find((member) => member.organisationId === organisationId) : undefined;
}
