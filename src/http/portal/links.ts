import { withoutEnd } from "../../domain/withoutEnd.js";

export type Links = ReturnType<typeof createLinks>;

/** Addresses as the browser sees them: behind a reverse proxy PUBLIC_URL may have a path that never reaches this process. */
export function createLinks(publicUrl: string) {
  const base = withoutEnd(new URL(publicUrl).pathname, "/");
  /** `/portal/...`, which may have a query, with the path of PUBLIC_URL before it. */
  return { to: (path: string): string => base + path };
}
