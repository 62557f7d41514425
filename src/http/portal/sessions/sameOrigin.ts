// Changes come from our own pages: the browser says so, and the form brings the session's token.
import { timingSafeEqual } from "node:crypto";
import { Rejection } from "../../../domain/rejection.js";

interface ChangeRequest {
  /** A request header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly publicUrl: string;
}

/** Throws `forbidden` for a request that another site may have caused. Enough by itself only where there is no session yet: signing in. */
export function ensureSameOrigin({ header, publicUrl }: ChangeRequest): void {
  const site = header("sec-fetch-site");
  if (site !== undefined) {
    if (site !== "same-origin") throw notOurs();
    return;
  }
  // Browsers send sec-fetch-site only over https and to this machine itself. Without it the page's origin is compared.
  const origin = header("origin");
  if (origin === undefined || !URL.canParse(origin)) throw notOurs();
  const { host, origin: plain } = new URL(origin);
  if (plain !== new URL(publicUrl).origin && host !== header("host")) throw notOurs();
}

/** For every change by a signed-in member: also compares the form's token with the session's. */
export function ensureOwnForm(request: ChangeRequest & { formToken: string; given: unknown }): void {
  ensureSameOrigin(request);
  const wanted = Buffer.from(request.formToken);
  const given = Buffer.from(typeof request.given === "string" ? request.given : "");
  if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) throw notOurs();
}

const notOurs = () => new Rejection("forbidden", "This form did not come from a page of your session. Open the page again and repeat it");
