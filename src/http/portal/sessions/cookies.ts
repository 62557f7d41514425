// The cookies of the portal. Over https their names begin with __Host-, so that no other host can set them; browsers then want Path=/.
import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { sessionLimits } from "../../../commands/members/sessions.js";

export interface PortalCookie {
  read(c: Context): string | undefined;
  write(c: Context, value: string): void;
  clear(c: Context): void;
}

const secondsPerDay = 86_400;

export const sessionCookie = (publicUrl: string): PortalCookie =>
  portalCookie(publicUrl, "waybill", sessionLimits.longestDays * secondsPerDay);

/** What single sign-on has to know when the browser comes back. */
export const singleSignOnCookie = (publicUrl: string, seconds: number): PortalCookie => portalCookie(publicUrl, "waybill_sso", seconds);

/** The browser that is asked which organisation. */
export const choiceCookie = (publicUrl: string, seconds: number): PortalCookie => portalCookie(publicUrl, "waybill_choice", seconds);

/** A browser in which somebody has signed in before. */
export const knownCookie = (publicUrl: string, seconds: number): PortalCookie => portalCookie(publicUrl, "waybill_known", seconds);

function portalCookie(publicUrl: string, name: string, maxAge: number): PortalCookie {
  const secure = publicUrl.startsWith("https:");
  const prefix = secure ? ({ prefix: "host" } as const) : {};
  const options = { ...prefix, httpOnly: true, sameSite: "Lax", secure, path: "/" } as const;
  return {
    read: (c) => (secure ? getCookie(c, name, "host") : getCookie(c, name)),
    // Lax, not Strict: with Strict a link in an e-mail would lead to the sign-in instead of the page.
    write: (c, value) => setCookie(c, name, value, { ...options, maxAge }),
    clear: (c) => {
      deleteCookie(c, name, options);
    },
  };
}
