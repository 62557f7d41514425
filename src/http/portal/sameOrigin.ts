import { timingSafeEqual } from "node:crypto";
import { Rejection } from "../../domain/rejection.js";

/** What a browser says of where a form was sent from. It cannot be forged by another site's page. */
export interface RequestOrigin {
  readonly fetchSite: string | undefined;
  readonly origin: string | undefined;
  readonly host: string | undefined;
}

/** Every change is asked for by a page of our own; a request that does not say where it comes from is refused too. */
export function requireSameOrigin({ fetchSite, origin, host }: RequestOrigin, publicOrigin: string): void {
  const fromHere = origin !== undefined && (origin === publicOrigin || hostOf(origin) === host);
  const sameSite = fetchSite === undefined ? fromHere : fetchSite === "same-origin" && (origin === undefined || fromHere);
  if (!sameSite) throw new Rejection("forbidden", "This form was sent from another site. Open the page here and send it again");
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined);

/** Compared without telling by the time it takes how much of it was right. */
export function sameText(given: string, known: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(known)];
  return one.length === other.length && timingSafeEqual(one, other);
}
