import type pg from "pg";
import { type Catalogue, compileCatalogue } from "../domain/catalogue/catalogue.js";
import { catalogueAt } from "../queries/organisations.js";

const mostKept = 200;

/** Compiled catalogues by organisation and version. A version never changes, so nothing here is ever out of date. */
export function createCatalogueCache(pool: pg.Pool): (organisationId: string, version: number) => Promise<Catalogue> {
  const kept = new Map<string, Promise<Catalogue>>();
  return (organisationId, version) => {
    const name = `${version} ${organisationId}`;
    const catalogue = kept.get(name) ?? load(pool, organisationId, version);
    kept.delete(name);
    kept.set(name, catalogue); // last used, last to go
    catalogue.catch(() => kept.delete(name));
    const oldest = kept.keys().next();
    if (kept.size > mostKept && !oldest.done) kept.delete(oldest.value);
    return catalogue;
  };
}

async function load(pool: pg.Pool, organisationId: string, version: number): Promise<Catalogue> {
  const file = await catalogueAt(pool, organisationId, version);
  if (!file) throw new Error(`catalogue ${version} of organisation ${organisationId} is not in the database`);
  return compileCatalogue(file);
}
