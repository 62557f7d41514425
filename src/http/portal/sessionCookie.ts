import { parse, serialize } from "hono/utils/cookie";
import type { Links } from "./links.js";

/** The cookie that holds a session's token. */
export interface SessionCookie {
  readonly read: (cookies: string | undefined) => string | undefined;
  readonly set: (token: string) => string;
  readonly gone: string;
}

/** Over https no other host, and no plain http, can put one in its place (`__Host-`), which wants the whole host as its path. */
export function createSessionCookie({ secure, to }: Links): SessionCookie {
  const name = secure ? "__Host-waybill_session" : "waybill_session";
  const options = { path: secure ? "/" : to("/portal"), httpOnly: true, sameSite: "Lax", secure } as const;
  const week = 7 * 86_400;
  return {
    read: (cookies) => (cookies === undefined ? undefined : parse(cookies, name)[name]),
    set: (token) => serialize(name, token, { ...options, maxAge: week }),
    gone: serialize(name, "", { ...options, maxAge: 0 }),
  };
}
