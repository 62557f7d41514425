// The events of a member, who is a person in an organisation. This is a disk format. No other kind of stream has the e-mail or the name, so
// that deleting the member's stream forgets the person. Passwords and links are stored as hashes only.
import { z } from "zod";
import { role } from "../domain/members.js";
import { principal } from "../domain/principal.js";

const instant = z.iso.datetime();
const who = { by: principal, at: instant };
/** The SHA-256 of the token in the link. A new link makes the previous one void. */
const link = { linkSha256: z.string(), linkExpiresAt: instant };

/** The first event of a member. Recorded again when a removed member is invited again. */
const memberInvited = z.object({ organisationId: z.string(), email: z.string(), name: z.string().optional(), role, ...link, ...who });

const memberLinkMade = z.object({ ...link, ...who });

/** The first sign-in. Ends the invitation's link, also where the member joined without it. */
const memberJoined = z.object({ how: z.enum(["link", "singleSignOn"]), ...who });

/** An argon2id hash with its parameters and salt. Uses the link up. */
const memberPasswordSet = z.object({ passwordHash: z.string(), ...who });

const memberRoleChanged = z.object({ role, ...who });

/** The member's own choice. */
const memberRenamed = z.object({ name: z.string(), ...who });

const memberRemoved = z.object({ ...who });

/** The last event; the stream is deleted after it. A projection that reads it removes the member's rows. */
const memberErased = z.object({ ...who });

/** Every event of a member's stream. */
export const memberEvents = {
  MemberInvited: memberInvited,
  MemberLinkMade: memberLinkMade,
  MemberJoined: memberJoined,
  MemberPasswordSet: memberPasswordSet,
  MemberRoleChanged: memberRoleChanged,
  MemberRenamed: memberRenamed,
  MemberRemoved: memberRemoved,
  MemberErased: memberErased,
} as const;
