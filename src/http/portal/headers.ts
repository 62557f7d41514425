import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../server/requestFrame.js";

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** Same-origin and not no-referrer: with the latter a browser sends `Origin: null` with its forms. */
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
};

/** A page, under headers that let it load our own files and nothing else. */
export const html = (c: Context<AppEnv>, text: string, status: number, headers: Readonly<Record<string, string>> = {}): Response =>
  c.body(text, status as ContentfulStatusCode, { ...headers, ...c.get("answerHeaders"), ...pageHeaders });

export function redirect(c: Context<AppEnv>, to: string, status: 302 | 303): Response {
  const headers = { ...c.get("answerHeaders"), location: to };
  // The script asked for a part of a page: the browser then loads the whole page at the new address.
  if (c.req.header("hx-request") === "true") return c.body(null, 200, { ...headers, "hx-redirect": to });
  return c.body(null, status, headers);
}
