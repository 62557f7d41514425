import { type Principal, principalOf } from "../../domain/principal.js";
import type { Database } from "../../ports/database.js";
import { type PageRequest, type RowPage, readPage } from "../rowPage.js";

export interface CatalogueVersion {
  readonly version: number;
  /** Like `by`, null for a version that an earlier release stored, until the table is rebuilt. */
  readonly appliedAt: Date | null;
  readonly by: Principal | null;
  /** The first sentences of what changed. */
  readonly changes: readonly string[];
  /** The number of sentences in all. */
  readonly changeCount: number;
}

interface VersionRow extends Omit<CatalogueVersion, "by"> {
  readonly appliedBy: string | null;
}

const maxShownChanges = 3;

const columns = `version, applied_at as "appliedAt", applied_by as "appliedBy", coalesce(changes[1:${maxShownChanges}], '{}') as changes,
  coalesce(cardinality(changes), 0) as "changeCount"`;

const catalogueVersionOf = ({ appliedBy, ...version }: VersionRow): CatalogueVersion => ({
  ...version,
  by: appliedBy === null ? null : principalOf(appliedBy),
});

/** One page of the catalogue versions, newest first. */
export function listCatalogueVersions(
  organisationId: string,
  page: PageRequest,
  { pool }: { readonly pool: Database },
): Promise<RowPage<CatalogueVersion>> {
  const fetch = async (after: readonly string[] | undefined, count: number) => {
    const { rows } = await pool.query<VersionRow>(
      `select ${columns} from catalogues where organisation_id = $1 and ($2::integer is null or version < $2) order by version desc limit $3`,
      [organisationId, after?.[0] ?? null, count],
    );
    return rows;
  };
  return readPage(page, ["catalogueVersions", organisationId], fetch, {
    cursorValues: ({ version }) => [String(version)],
    itemOf: catalogueVersionOf,
  });
}

/** The newest `max` versions after `after` and up to `upTo`, newest first. */
export async function catalogueVersionsBetween(
  organisationId: string,
  { after, upTo, max }: { readonly after: number; readonly upTo: number; readonly max: number },
  { pool }: { readonly pool: Database },
): Promise<CatalogueVersion[]> {
  const { rows } = await pool.query<VersionRow>(
    `select ${columns} from catalogues where organisation_id = $1 and version > $2 and version <= $3 order by version desc limit $4`,
    [organisationId, after, upTo, max],
  );
  return rows.map(catalogueVersionOf);
}
