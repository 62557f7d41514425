/** Addresses as the browser sees them: behind a reverse proxy PUBLIC_URL may have a path that never reaches this process. */
export interface Links {
  /** `/portal/...` with the path of PUBLIC_URL before it. */
  readonly to: (path: string) => string;
  /** `https://host[:port]`, as a browser names it in Origin. */
  readonly origin: string;
  readonly secure: boolean;
}

export function createLinks(publicUrl: string): Links {
  const { origin, pathname, protocol } = new URL(publicUrl);
  const base = pathname.replace(/\/+$/, "");
  return { to: (path) => `${base}${path}`, origin, secure: protocol === "https:" };
}

const madeUp = "http://portal.invalid";

/** Where to go after signing in: a page of the portal, whatever the address asked for. */
export function safeNext(next: string | undefined): string {
  if (next === undefined || next.length > 500 || !next.startsWith("/portal") || /[\\\s]/.test(next)) return "/portal";
  if (!URL.canParse(next, madeUp)) return "/portal";
  // Dots are resolved as a browser does it, and what leaves the portal by them is not followed.
  const { origin, pathname, search } = new URL(next, madeUp);
  const inside = origin === madeUp && (pathname === "/portal" || pathname.startsWith("/portal/"));
  return inside && !signsInOrOut.test(pathname) ? `${pathname}${search}` : "/portal";
}

const signsInOrOut = /^\/portal\/(sign-|join|assets)/;
