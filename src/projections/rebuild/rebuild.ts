// Rebuilds projections from the event log, beside the live tables and while the service runs. Then one transaction stops the live projector
// (by locking the checkpoints), applies the last events to the shadow tables, compares them with the live tables and replaces the latter.
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { PoolClient } from "pg";
import { allProjections } from "../allProjections.js";
import { catchUpImport } from "../importRow.js";
import type { Projection } from "../projection.js";
import { isSamePosition, latestPosition, lockCheckpoints, setCheckpoints } from "../running/checkpoints.js";
import { inTransaction } from "../running/locks.js";
import { catchUp, type Shadow } from "./catchUp.js";
import { lockShadow } from "./shadowSchema.js";
import { type ShadowOptions, withShadow } from "./withShadow.js";

type Digest = NonNullable<Awaited<ReturnType<typeof digestTables>>>;

/** A digest that does not depend on the order of the rows. Undefined if one of the tables does not exist. */
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
    const isComplete = options.projections.length === allProjections.length;
    const comparisons = await swap(shadow, options.signal, isComplete);
    return { events: shadow.eventCount, position: shadow.position, comparisons };
  });

const liveSchema = "public";

/** `isComplete`: all projections are rebuilt, so all may be taken past the live tables' position to the end of the event log. */
function swap(shadow: Shadow, signal: AbortSignal, isComplete: boolean): Promise<Comparison[]> {
  const { client, projections } = shadow;
  const names = projections.map(({ name }) => name);
  return inTransaction(client, async () => {
    await lockShadow(client, shadow);
    const checkpoints = await lockCheckpoints(client, names);
    await catchUp(shadow, { until: latestPosition([...checkpoints.values()]), signal, isInTransaction: true });
    const comparisons = new Map<string, Comparison>();
    for (const projection of projections.filter((each) => !isWrittenByCommands(each))) {
      const isComparable = isSamePosition(checkpoints.get(projection.name), shadow.position);
      comparisons.set(projection.name, await compare(shadow, projection, isComparable));
    }
    if (isComplete) await catchUp(shadow, { until: undefined, signal, isInTransaction: true });
    await lockTables(client, projections, signal);
    if (!isComplete) await catchUpAheadImports(shadow);
    if (projections.some(isWrittenByCommands)) {
      // The tables are locked, so no command can write to them. Whatever commands have written is in the event log by now: a key that was
      // just revoked stays revoked.
      const caughtUp = isComplete ? shadow : { ...shadow, projections: projections.filter(isWrittenByCommands) };
      await catchUp(caughtUp, { until: undefined, signal, isInTransaction: true });
      for (const projection of projections.filter(isWrittenByCommands))
        comparisons.set(projection.name, await compare(shadow, projection, true));
    }
    for (const table of projections.flatMap(({ tables }) => tables))
      await client.query(`drop table if exists ${liveSchema}.${table}; alter table ${shadow.schema}.${table} set schema ${liveSchema}`);
    await setCheckpoints(client, names, { ...shadow.position, lastEvent: shadow.lastEvent, logId: shadow.logId });
    return names.flatMap((name) => comparisons.get(name) ?? []);
  });
}

/** Whether commands write every row of the projection themselves, before the projector does. (Imports: see `aheadImportsSql`.) */
export const isWrittenByCommands = ({ name }: Projection) => name === "organisations" || name === "members";

async function compare({ client, schema }: Shadow, { name, tables, comparedRowsSql }: Projection, isComparable: boolean) {
  const live = isComparable ? await digestTables(client, liveSchema, tables, comparedRowsSql) : undefined;
  const rebuilt = await digestTables(client, schema, tables, live && comparedRowsSql);
  if (!rebuilt) throw new Error(`the tables of ${name} are missing from the rebuild`);
  return { projection: name, rebuilt, live };
}

/** Writes the rows that commands have written ahead of the projector's position. The tables are locked, so no more rows follow. */
async function catchUpAheadImports({ client, schema, projections, eventStore }: Shadow): Promise<void> {
  for (const { aheadImportsSql, tables } of projections) {
    if (!aheadImportsSql) continue;
    const found = await client.query("select from pg_tables where schemaname = $1 and tablename = $2", [liveSchema, tables[0]]);
    if (!found.rowCount) continue;
    const { rows } = await client.query<{ import_id: string }>(aheadImportsSql);
    await client.query(`set local search_path to ${schema}, public`);
    for (const row of rows) await catchUpImport(client, eventStore, row.import_id);
    await client.query("set local search_path to default");
  }
}

const maxLockAttempts = 200;

/** Waits for at most 200 ms at a time. Postgres looks for deadlocks only after a longer wait, so it ends no reader as a victim. */
async function lockTables(client: PoolClient, projections: readonly Projection[], signal: AbortSignal): Promise<void> {
  const tableNames = projections.flatMap(({ tables }) => tables).map((table) => `${liveSchema}.${table}`);
  const { rows } = await client.query<{ name: string }>("select name from unnest($1::text[]) as name where to_regclass(name) is not null", [
    tableNames,
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
      if (attempt === maxLockAttempts)
        throw new Error("the tables are in use by something long, such as an audit; run the rebuild again afterwards");
      await client.query("rollback to savepoint before_locks");
      await pause(50 + Math.random() * 100);
    }
  }
}
