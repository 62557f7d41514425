/** Addresses as the browser sees them: behind a reverse proxy PUBLIC_URL may have a path that never reaches this process. */
export interface Links {
  /** `/portal/...` with the path of PUBLIC_URL before it. */
  readonly to: (path: string) => string;
  readonly secure: boolean;
}

export function createLinks(publicUrl: string): Links {
  const { pathname, protocol } = new URL(publicUrl);
  const base = pathname.replace(/\/+$/, "");
  return { to: (path) => `${base}${path}`, secure: protocol === "https:" };
}
