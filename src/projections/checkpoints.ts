// How far each projection has come. The row is locked for as long as a batch is being written, so that whoever else wants to move the
// projection (a second projector, a rebuild's swap) waits and then sees where it stands.
import type { Pool, PoolClient } from "pg";
import type { Position } from "../ports.js";
import { beginning } from "./position.js";

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

/** Without a lock: where to begin reading. A projection that has none yet begins at the beginning. */
export async function readCheckpoints(pool: Pool, names: readonly string[]): Promise<Checkpoints> {
  const { rows } = await pool.query<{ projection: string; commit: string; prepare: string }>(
    "select projection, commit, prepare from checkpoints where projection = any($1::text[])",
    [names],
  );
  const found = new Map(rows.map((row) => [row.projection, { commit: BigInt(row.commit), prepare: BigInt(row.prepare) }]));
  return new Map(names.map((name) => [name, found.get(name) ?? beginning]));
}

/** Nothing new in the log: what stands at its end is as fresh as now. */
export async function touchCheckpoints(pool: Pool, names: readonly string[], position: Position): Promise<void> {
  await pool.query(
    "update checkpoints set updated_at = now() where projection = any($1::text[]) and (commit, prepare) >= ($2::bigint, $3::bigint)",
    [names, String(position.commit), String(position.prepare)],
  );
}

/** For tables that were put in place whole: whatever stood before, this is where they are. */
export async function placeCheckpoints(client: PoolClient | Pool, names: readonly string[], position: Position): Promise<void> {
  await client.query("update checkpoints set commit = $2, prepare = $3 where projection = any($1::text[])", [
    names,
    String(position.commit),
    String(position.prepare),
  ]);
}
