import type { Pool } from "pg";

/** An import that corrects rows of another one. */
export interface CorrectingImport {
  readonly importId: string;
  readonly reference: string;
  readonly rows: number;
}

const mostShown = 20;

/** The imports that correct, or are about to correct, rejected rows of this one, newest first. */
export async function correctingImports(
  database: Pick<Pool, "query">,
  organisationId: string,
  importId: string,
): Promise<readonly CorrectingImport[]> {
  const { rows } = await database.query<CorrectingImport>(
    `select correction.import_id as "importId", correction.source_details as reference, corrected.rows
       from (select correction_id, count(*)::int as rows from row_corrections where import_id = $1 group by correction_id) as corrected
       join imports correction on correction.import_id = corrected.correction_id
      where correction.organisation_id = $2 order by correction.position desc limit ${mostShown}`,
    [importId, organisationId],
  );
  return rows;
}
