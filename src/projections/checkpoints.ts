// How far each projection has come. The row is locked for as long as a batch is being written, so that whoever else wants to move the
// projection (a second projector, a rebuild's swap) waits and then sees where it stands.
import type { PoolClient } from "pg";
import type { Position } from "../ports.js";

export type Checkpoints = ReadonlyMap<string, Position>;

/** Locks in one order (by name), so that two writers never hold what the other wants. */
export async function lockCheckpoints(client: PoolClient, names: readonly string[]): Promise<Checkpoints> {
  const sorted = [...names].sort();
  const locked = await select(client, sorted);
  if (locked.size === sorted.length) return locked;
  await client.query(
    `insert into checkpoints (projection, commit, prepare, updated_at)
     select name, -1, -1, now() from unnest($1::text[]) as name order by name on conflict do nothing`,
    [sorted],
  );
  return select(client, sorted);
}

async function select(client: PoolClient, names: readonly string[]): Promise<Checkpoints> {
  const { rows } = await client.query<{ projection: string; commit: string; prepare: string }>(
    `select projection, commit, prepare from checkpoints where projection = any($1::text[]) order by projection for update`,
    [names],
  );
  return new Map(rows.map((row) => [row.projection, { commit: BigInt(row.commit), prepare: BigInt(row.prepare) }]));
}

/** `caughtUp` moves updated_at, which says: everything recorded until then is in the tables. */
export async function saveCheckpoints(client: PoolClient, names: readonly string[], position: Position, caughtUp: boolean): Promise<void> {
  await client.query(
    `update checkpoints
        set commit = $2, prepare = $3, updated_at = case when $4 then now() else updated_at end
      where projection = any($1::text[]) and (commit, prepare) <= ($2::bigint, $3::bigint)`,
    [names, String(position.commit), String(position.prepare), caughtUp],
  );
}
