import { type Principal, principalOf } from "../../domain/principal.js";
import type { Database } from "../../ports/database.js";
import { type PageRequest, type RowPage, readPage } from "../rowPage.js";

export interface CatalogueVersion {
  readonly version: number;
  /** Null for a version that an earlier release has stored, until its table is built anew. The same for `by`. */
  readonly appliedAt: Date | null;
  readonly by: Principal | null;
  /** The first sentences of what changed. */
  readonly changes: readonly string[];
  /** How many there are in all. */
  readonly changeCount: number;
}

interface Row extends Omit<CatalogueVersion, "by"> {
  readonly appliedBy: string | null;
}

const shownChanges = 3;

const columns = `version, applied_at as "appliedAt", applied_by as "appliedBy", coalesce(changes[1:${shownChanges}], '{}') as changes,
  coalesce(cardinality(changes), 0) as "changeCount"`;

const versionOf = ({ appliedBy, ...version }: Row): CatalogueVersion => ({
  ...version,
  by: appliedBy === null ? null : principalOf(appliedBy),
});

/** Newest first. */
export function listCatalogueVersions(
  organisationId: string,
  page: PageRequest,
  { pool }: { readonly pool: Database },
): Promise<RowPage<CatalogueVersion>> {
  const fetch = async (after: readonly string[] | undefined, count: number) => {
    const { rows } = await pool.query<Row>(
      `select ${columns} from catalogues where organisation_id = $1 and ($2::integer is null or version < $2) order by version desc limit $3`,
      [organisationId, after?.[0] ?? null, count],
    );
    return rows;
  };
  return readPage(page, ["catalogueVersions", organisationId], fetch, {
    cursorValues: ({ version }) => [String(version)],
    itemOf: versionOf,
  });
}

/** Newest first: what others have applied meanwhile. */
export async function catalogueVersionsBetween(
  organisationId: string,
  { after, upTo, most }: { readonly after: number; readonly upTo: number; readonly most: number },
  { pool }: { readonly pool: Database },
): Promise<CatalogueVersion[]> {
  const { rows } = await pool.query<Row>(
    `select ${columns} from catalogues where organisation_id = $1 and version > $2 and version <= $3 order by version desc limit $4`,
    [organisationId, after, upTo, most],
  );
  return rows.map(versionOf);
}
