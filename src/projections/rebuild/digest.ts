import { createHash } from "node:crypto";
import type { PoolClient } from "pg";

export interface Digest {
  readonly rows: number;
  /** Equal for equal rows in any order. */
  readonly digest: string;
}

/** Undefined when one of the tables does not exist. */
export async function digestTables(client: PoolClient, schema: string, tables: readonly string[]): Promise<Digest | undefined> {
  const hash = createHash("sha256");
  let rows = 0;
  for (const table of tables) {
    const name = `${schema}.${table}`;
    const { rows: found } = await client.query<{ there: boolean }>("select to_regclass($1) is not null as there", [name]);
    if (!found[0]?.there) return undefined;
    const { rows: sums } = await client.query<{ count: string; low: string; high: string }>(
      `select count(*) as count, coalesce(sum(hashtextextended(each::text, 0)), 0) as low, coalesce(sum(hashtextextended(each::text, 1)), 0) as high
         from ${name} as each`,
    );
    rows += Number(sums[0]?.count);
    hash.update(JSON.stringify([table, sums[0]]));
  }
  return { rows, digest: hash.digest("hex").slice(0, 16) };
}
