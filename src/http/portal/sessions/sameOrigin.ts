// Changes come from our own pages: the browser says so, and the form brings the session's token.
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { Rejection } from "../../../domain/rejection.js";

type Request = Pick<Context, "req">;

/** Throws `forbidden` for a request that another site may have caused. Enough by itself only where there is no session yet: signing in. */
export function ensureSameOrigin({ req }: Request, publicUrl: string): void {
  const site = req.header("sec-fetch-site");
  if (site !== undefined) {
    if (site !== "same-origin") throw notOurs();
    return;
  }
  // Browsers send sec-fetch-site only over https and to this machine itself. Without it the page's origin is compared.
  const origin = req.header("origin");
  if (origin === undefined || !URL.canParse(origin)) throw notOurs();
  const { host, origin: plain } = new URL(origin);
  if (plain !== new URL(publicUrl).origin && host !== req.header("host")) throw notOurs();
}

/** For every change by a signed-in member: also compares the token that the form or the script brings, which is masked, with the session's. */
export function ensureOwnPage(c: Request, publicUrl: string, formToken = "", sent = c.req.header("x-form-token") ?? ""): void {
  ensureSameOrigin(c, publicUrl);
  const wanted = Buffer.from(formToken, "base64url");
  const given = unmaskToken(sent);
  if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) throw notOurs();
}

/**
 * The session's token as a page shows it: another text on every page. Pages are compressed and repeat words of their address, so whoever sees
 * the sizes of many answers could otherwise find out a text that they all have.
 */
export function maskToken(formToken: string): string {
  const token = Buffer.from(formToken, "base64url");
  const mask = randomBytes(token.length);
  return Buffer.concat([mask, xor(token, mask)]).toString("base64url");
}

function unmaskToken(given: string): Buffer {
  const bytes = Buffer.from(given.slice(0, longestGiven), "base64url");
  const half = bytes.length >> 1;
  return xor(bytes.subarray(half), bytes.subarray(0, half));
}

const longestGiven = 200;
const xor = (some: Buffer, others: Buffer): Buffer => Buffer.from(some.map((byte, at) => byte ^ (others[at] ?? 0)));

const notOurs = () => new Rejection("forbidden", "This form has expired. Open the page again and retry");
