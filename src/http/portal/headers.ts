import type { Context } from "hono";
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
export function html(c: Context<AppEnv>, text: string, status: number, headers: Headers = new Headers()): Response {
  for (const [name, value] of Object.entries({ ...c.get("answerHeaders"), ...pageHeaders })) headers.set(name, value);
  return new Response(text, { status, headers });
}

export function redirect(c: Context<AppEnv>, to: string, status: 302 | 303, headers: Headers = new Headers()): Response {
  for (const [name, value] of Object.entries({ ...c.get("answerHeaders"), location: to })) headers.set(name, value);
  // A part of a page that is fetched by itself: the whole page goes there, not the part.
  if (c.req.header("hx-request") === "true") headers.set("hx-redirect", to);
  return new Response(null, { status: headers.has("hx-redirect") ? 200 : status, headers });
}
