const longest = 2_000;

/** Where a sign-in leads: the portal page that was asked for, else Overview. Never another site's address, however it is written. */
export function safeReturn(text: string | undefined): string {
  if (text === undefined || text.length > longest || !/^\/portal(?:[/?]|$)/.test(text) || /[\\\p{Cc}\s]/u.test(text)) return "/portal";
  const base = "http://portal.invalid";
  const url = URL.canParse(text, base) ? new URL(text, base) : undefined;
  if (url?.origin !== base || !/^\/portal(?:\/|$)/.test(url.pathname) || url.pathname.includes("//")) return "/portal";
  // Signing in again, or out, is no page to come back to.
  return /^\/portal\/(?:sign-in|sign-out|join|sso)(?:\/|$)/.test(url.pathname) ? "/portal" : `${url.pathname}${url.search}`;
}
