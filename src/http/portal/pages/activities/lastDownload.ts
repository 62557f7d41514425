import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { downloadCookie } from "../../sessions/cookies.js";

/** In the browser: what changes a month's bill afterwards is shown to the person who has downloaded it. */
export const rememberDownload = ({ context, person }: SignedInVisit, { publicUrl }: PortalDeps, month: string, at: Date): void =>
  downloadCookie(publicUrl).write(context, [person.memberId, month, at.toISOString()].join(" "));

/** When this person has last downloaded the totals of the month, in this browser. */
export function lastDownload({ context, person }: SignedInVisit, { publicUrl }: PortalDeps, month: string): Date | undefined {
  const [memberId, ofMonth, text = ""] = (downloadCookie(publicUrl).read(context) ?? "").split(" ");
  const at = new Date(text);
  return memberId === person.memberId && ofMonth === month && !Number.isNaN(at.getTime()) ? at : undefined;
}
