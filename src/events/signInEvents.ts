// Sign-ins of one member in one month (UTC), kept apart from the member's own stream so that a month can be deleted when its time is over.
// There is no e-mail and no network address in them. This is a disk format.
import { z } from "zod";
import { principal } from "../domain/principal.js";

const ofMember = { organisationId: z.string(), memberId: z.string(), by: principal, at: z.iso.datetime() };

/** Every event of the stream. */
export const signInEvents = {
  MemberSignedIn: z.object({ ...ofMember, how: z.enum(["password", "link", "singleSignOn"]) }),
  MemberSignInRefused: z.object(ofMember),
} as const;

/** Names the stream: the member's sign-ins of that month. */
export const signInsId = (memberId: string, at: Date): string => `${memberId}-${at.toISOString().slice(0, 7)}`;

/** When the month of such a name is over; undefined for another text. */
export function monthEnd(signIns: string): Date | undefined {
  const [, year, month] = /-(\d{4})-(\d{2})$/.exec(signIns) ?? [];
  return month === undefined ? undefined : new Date(Date.UTC(Number(year), Number(month), 1));
}
