import type { Pool } from "pg";

export interface LocalityFile {
  readonly country: string;
  readonly key: string;
  readonly sha256: string;
  readonly localities: number;
}

/** The countries that were loaded with `localities import`. */
export async function localityFiles(database: Pick<Pool, "query">): Promise<LocalityFile[]> {
  const { rows } = await database.query<LocalityFile>("select country, key, sha256, localities from locality_files order by country");
  return rows;
}
