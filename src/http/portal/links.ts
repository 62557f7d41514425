import { withoutEnd } from "../../domain/withoutEnd.js";

/** The parameters of an address; those without a value are left out. */
export type Query = Readonly<Record<string, string | undefined>>;

/** Addresses as the browser sees them: behind a reverse proxy PUBLIC_URL may have a path that never reaches this process. */
export interface Links {
  /** `/portal/...` with the path of PUBLIC_URL before it, and the query behind it. */
  readonly to: (path: string, query?: Query) => string;
}

export function createLinks(publicUrl: string): Links {
  const base = withoutEnd(new URL(publicUrl).pathname, "/");
  return { to: (path, query = {}) => `${base}${withQuery(path, query)}` };
}

/** The path may have a query already. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}${new URLSearchParams(given)}`;
}
