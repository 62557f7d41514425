// Checks that changes come from the portal's own pages: by headers that the browser sets, and by the session's form token.
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { Rejection } from "../../../domain/rejection.js";

type Request = Pick<Context, "req">;

/** Throws `forbidden` for a request that another site may have caused. This is enough only for signing in, where no session exists. */
export function ensureSameOrigin({ req }: Request, publicUrl: string): void {
  const site = req.header("sec-fetch-site");
  if (site !== undefined) {
    if (site !== "same-origin") throw expiredForm();
    return;
  }
  // Browsers send sec-fetch-site only over https and to localhost. Without it the page's origin is compared.
  const origin = req.header("origin");
  if (origin === undefined || !URL.canParse(origin)) throw expiredForm();
  const { host, origin: normalOrigin } = new URL(origin);
  if (normalOrigin !== new URL(publicUrl).origin && host !== req.header("host")) throw expiredForm();
}

/** For every change by a signed-in member: also compares the masked token that the form or the script sends with that of the session. */
export function ensureOwnPage(c: Request, publicUrl: string, formToken = "", sent = c.req.header("x-form-token") ?? ""): void {
  ensureSameOrigin(c, publicUrl);
  const expected = Buffer.from(formToken, "base64url");
  const received = unmaskToken(sent);
  if (expected.length !== received.length || !timingSafeEqual(expected, received)) throw expiredForm();
}

/**
 * The session's form token as a page contains it: masked, and different on every page. Pages are compressed and repeat parts of their
 * address, so an attacker who sees the sizes of many answers could otherwise guess a secret that all of them contain (the BREACH attack).
 */
export function maskToken(formToken: string): string {
  const token = Buffer.from(formToken, "base64url");
  const mask = randomBytes(token.length);
  return Buffer.concat([mask, xor(token, mask)]).toString("base64url");
}

function unmaskToken(masked: string): Buffer {
  const bytes = Buffer.from(masked.slice(0, maxMaskedLength), "base64url");
  const half = bytes.length >> 1;
  return xor(bytes.subarray(half), bytes.subarray(0, half));
}

const maxMaskedLength = 200;
const xor = (some: Buffer, others: Buffer): Buffer => Buffer.from(some.map((byte, at) => byte ^ (others[at] ?? 0)));

const expiredForm = () => new Rejection("forbidden", "This form has expired. Open the page again and retry");
