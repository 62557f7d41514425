import type { Pool } from "pg";
import { type Catalogue, compileCatalogue } from "../../domain/catalogue/catalogue.js";
import { catalogueAt } from "./organisations.js";

const kept = 200;

/** A cache of compiled catalogues. A catalogue version never changes, so no entry becomes stale. */
export function cacheCatalogues(pool: Pool): (organisationId: string, version: number) => Promise<Catalogue> {
  const known = new Map<string, Promise<Catalogue>>();
  return (organisationId, version) => {
    const key = JSON.stringify([organisationId, version]);
    const found = known.get(key) ?? load(pool, organisationId, version);
    known.delete(key); // keeps the least recently used entry first; it is dropped first
    known.set(key, found);
    found.catch(() => known.delete(key));
    for (const oldest of known.keys()) {
      if (known.size <= kept) break;
      known.delete(oldest);
    }
    return found;
  };
}

async function load(pool: Pool, organisationId: string, version: number): Promise<Catalogue> {
  const file = await catalogueAt(pool, organisationId, version);
  if (!file) throw new Error(`organisation ${organisationId} has no catalogue version ${version}`);
  return compileCatalogue(file);
}
