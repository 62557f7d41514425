// Builds projections anew from the event log, beside the live tables and while the service runs. Then one transaction stops the live projector (by
// locking the checkpoints), applies the last events to the shadow tables, compares them with the live ones and replaces those.
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { PoolClient } from "pg";
import { allProjections } from "../allProjections.js";
import { catchUpImport } from "../importRow.js";
import type { Projection } from "../projection.js";
import { isSamePosition, latest, lockCheckpoints, setCheckpoints } from "../running/checkpoints.js";
import { inTransaction } from "../running/locks.js";
import { catchUp, type Shadow } from "./catchUp.js";
import { lockShadow } from "./shadowSchema.js";
import { type ShadowOptions, withShadow } from "./withShadow.js";

type Digest = NonNullable<Awaited<ReturnType<typeof digestTables>>>;

/** Equal for equal rows in any order. Undefined when one of the tables does not exist. */
async function digestTables(client: PoolClient, schema: string, tables: readonly string[], condition = "true") {
  const hash = createHash("sha256");
  let rows = 0;
  for (const table of tables) {
    const name = `${schema}.${table}`;
    const { rows: found } = await client.query<{ there: boolean }>("select to_regclass($1) is not null as there", [name]);
    if (!found[0]?.there) return undefined;
    const { rows: sums } = await client.query<{ count: string; low: string; high: string }>(
      `select count(*) as count, coalesce(sum(hashtextextended(each::text, 0)), 0) as low, coalesce(sum(hashtextextended(each::text, 1)), 0) as high
         from ${name} as each where ${condition}`,
    );
    rows += Number(sums[0]?.count);
    hash.update(JSON.stringify([table, sums[0]]));
  }
  return { rows, digest: hash.digest("hex").slice(0, 16) };
}

interface Comparison {
  readonly projection: string;
  readonly rebuilt: Digest;
  /** The live tables' digest at the same position; undefined when they do not exist or are at another position. */
  readonly live: Digest | undefined;
}

export interface RebuildOptions extends Omit<ShadowOptions, "isWanted"> {
  readonly migrations: readonly string[];
}

export type RebuildResult = Awaited<ReturnType<typeof rebuild>>;

export const rebuild = (options: RebuildOptions) =>
  withShadow("rebuild", options, async (shadow) => {
    const all = options.projections.length === allProjections.length;
    const comparisons = await swap(shadow, options.signal, all);
    return { events: shadow.events, position: shadow.reached, comparisons };
  });

const live = "public";

/** `all`: all projections are rebuilt, so all of them may go on from the live tables' position to the end of the event log. */
function swap(shadow: Shadow, signal: AbortSignal, all: boolean): Promise<Comparison[]> {
  const { client, projections } = shadow;
  const names = projections.map(({ name }) => name);
  return inTransaction(client, async () => {
    await lockShadow(client, shadow);
    const checkpoints = await lockCheckpoints(client, names);
    await catchUp(shadow, { until: latest([...checkpoints.values()]), signal, inside: true });
    const compared = new Map<string, Comparison>();
    for (const projection of projections.filter((each) => !isWrittenByCommands(each))) {
      compared.set(projection.name, await compare(shadow, projection, isSamePosition(checkpoints.get(projection.name), shadow.reached)));
    }
    if (all) await catchUp(shadow, { until: undefined, signal, inside: true });
    await lockTables(client, projections, signal);
    if (!all) await catchUpAhead(shadow);
    if (projections.some(isWrittenByCommands)) {
      // The tables are locked, so no command can write to them. Every earlier write of a command is in the event log: a key that was just revoked
      // stays revoked.
      const written = all ? shadow : { ...shadow, projections: projections.filter(isWrittenByCommands) };
      await catchUp(written, { until: undefined, signal, inside: true });
      for (const projection of projections.filter(isWrittenByCommands))
        compared.set(projection.name, await compare(shadow, projection, true));
    }
    for (const table of projections.flatMap(({ tables }) => tables))
      await client.query(`drop table if exists ${live}.${table}; alter table ${shadow.schema}.${table} set schema ${live}`);
    await setCheckpoints(client, names, { ...shadow.reached, lastEvent: shadow.lastEvent, logId: shadow.logId });
    return names.flatMap((name) => compared.get(name) ?? []);
  });
}

/** The command that appends writes the row too, so that it is there when the command returns. */
export const isWrittenByCommands = ({ name }: Projection) => name === "organisations" || name === "members";

async function compare({ client, schema }: Shadow, { name, tables, compared }: Projection, comparable: boolean): Promise<Comparison> {
  const found = comparable ? await digestTables(client, live, tables, compared) : undefined;
  const rebuilt = await digestTables(client, schema, tables, found && compared);
  if (!rebuilt) throw new Error(`the tables of ${name} are missing from the rebuild`);
  return { projection: name, rebuilt, live: found };
}

/** Rows that commands have written since the position at which the projector goes on. The tables are locked, so there will be no more of them. */
async function catchUpAhead({ client, schema, projections, eventStore }: Shadow): Promise<void> {
  for (const { ahead, tables } of projections) {
    const there =
      ahead && (await client.query("select from pg_tables where schemaname = $1 and tablename = $2", [live, tables[0]])).rowCount;
    if (!there) continue;
    const { rows } = await client.query<{ import_id: string }>(ahead);
    await client.query(`set local search_path to ${schema}, public`);
    for (const row of rows) await catchUpImport(client, eventStore, row.import_id);
    await client.query("set local search_path to default");
  }
}

const lockAttempts = 200;

/** Waits for at most 200 ms and tries again. Postgres looks for deadlocks only after a longer wait, so it ends no reader as a victim. */
async function lockTables(client: PoolClient, projections: readonly Projection[], signal: AbortSignal): Promise<void> {
  const wanted = projections.flatMap(({ tables }) => tables).map((table) => `${live}.${table}`);
  const { rows } = await client.query<{ name: string }>("select name from unnest($1::text[]) as name where to_regclass(name) is not null", [
    wanted,
  ]);
  if (rows.length === 0) return;
  const statement = `lock table ${rows.map(({ name }) => name).join(", ")} in access exclusive mode`;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    await client.query("savepoint before_locks; set local lock_timeout = 200");
    try {
      await client.query(statement);
      await client.query("set local lock_timeout = 0");
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== "55P03") throw error;
      if (attempt === lockAttempts)
        throw new Error("the tables are in use by something long, such as an audit; run the rebuild again afterwards");
      await client.query("rollback to savepoint before_locks");
      await pause(50 + Math.random() * 100);
    }
  }
}
