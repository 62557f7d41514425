// The events of a member, who is a person in an organisation. This is a disk format. No other kind of stream has the e-mail or the name, so
// that deleting the member's stream erases the person. Passwords and links are stored as hashes only.
import { z } from "zod";
import { role } from "../domain/members.js";
import { principal } from "../domain/principal.js";

const instant = z.iso.datetime();
const cause = { by: principal, at: instant };
/** The SHA-256 of the token in the link. A new link makes the previous one void. */
const link = { linkSha256: z.string(), linkExpiresAt: instant };

/** Every event of a member's stream. */
export const memberEvents = {
  /** The first event of a member. Recorded again when a removed member is invited again. */
  MemberInvited: z.object({ organisationId: z.string(), email: z.string(), name: z.string().optional(), role, ...link, ...cause }),
  MemberLinkMade: z.object({ ...link, ...cause }),
  /** The first sign-in. Ends the invitation's link, even if the member joined without it. */
  MemberJoined: z.object({ how: z.enum(["link", "singleSignOn"]), ...cause }),
  /** An argon2id hash with its parameters and salt. Uses up the link. */
  MemberPasswordSet: z.object({ passwordHash: z.string(), ...cause }),
  MemberRoleChanged: z.object({ role, ...cause }),
  /** The member has chosen another name. */
  MemberRenamed: z.object({ name: z.string(), ...cause }),
  MemberRemoved: z.object({ ...cause }),
  /** The last event; the stream is deleted after it. A projection that reads it removes the member's rows. */
  MemberErased: z.object({ ...cause }),
} as const;

const signInFields = { organisationId: z.string(), memberId: z.string(), ...cause };

/**
 * Every event of a stream of one member's sign-ins in one month (UTC), kept apart from the member's own stream so that a month can be
 * deleted when its retention time is over. These events have no e-mail and no network address.
 */
export const signInEvents = {
  MemberSignedIn: z.object({ ...signInFields, how: z.enum(["password", "link", "singleSignOn"]) }),
  /** The e-mail is the member's, the password was wrong. Nobody knows who typed it: `by` is the member whose e-mail it was. */
  MemberSignInRefused: z.object(signInFields),
} as const;

/** The id of the stream with the member's sign-ins of the month (UTC) that `at` lies in. */
export const signInsId = (memberId: string, at: Date): string => `${memberId}-${at.toISOString().slice(0, 7)}`;

/** The end of the month in an id that `signInsId` has made; undefined for another text. */
export function monthEnd(id: string): Date | undefined {
  const [, year, month] = /-(\d{4})-(\d{2})$/.exec(id) ?? [];
  return month === undefined ? undefined : new Date(Date.UTC(Number(year), Number(month), 1));
}
