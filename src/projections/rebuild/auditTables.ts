// An audit of tables: in one transaction, it brings the shadow tables to the live tables' position and compares both.
import type { PoolClient } from "pg";
import type { Position } from "../../ports/eventStore.js";
import { isBeginning, isSamePosition, readCheckpoints } from "../running/checkpoints.js";
import { catchUp, type Shadow } from "./catchUp.js";
import { leaveOutChangingRows, noteDifferences, readOwnedDifferences, type TableScope } from "./compareTables.js";
import { isWrittenByCommands } from "./rebuild.js";
import { lockShadow } from "./shadowSchema.js";
import { type ShadowOptions, withShadow } from "./withShadow.js";

export interface AuditOptions extends ShadowOptions {
  readonly scope: TableScope;
  /** How many differences are listed at most. All are counted. */
  readonly maxDifferences: number;
}

/**
 * Compares the live tables with tables filled from the event log. `readShadow` reads the latter under their usual names; `result` is what
 * it returns. `rows` is the number of compared rows in each live table.
 */
export const auditTables = <Result>(options: AuditOptions, readShadow: (client: PoolClient, position: Position) => Promise<Result>) =>
  withShadow("audit", options, (shadow) => inSnapshot(shadow, () => audit(shadow, options, readShadow)));

async function audit<Result>(
  shadow: Shadow,
  { scope, maxDifferences, signal, eventStore }: AuditOptions,
  readShadow: (client: PoolClient, position: Position) => Promise<Result>,
) {
  const { client, projections, schema } = shadow;
  const position = await livePosition(shadow);
  const head = await eventStore.head(); // early, since rows that change between `position` and here are not compared
  await catchUp(shadow, { until: position, signal, isInTransaction: true });
  if (!isSamePosition(position, shadow.position))
    throw new Error("an earlier state of the tables was restored while they were compared; run the audit again");
  const rows = await noteDifferences(shadow, scope);
  await client.query(`set local search_path to ${schema}, public`);
  const result = await readShadow(client, position);
  await client.query("set local search_path to default");
  const writtenByCommands: Shadow = { ...shadow, projections: projections.filter(isWrittenByCommands) };
  if (writtenByCommands.projections.length > 0 && (await readOwnedDifferences(shadow, 0)).count > 0) {
    await catchUp(writtenByCommands, { until: head, signal, isInTransaction: true });
    await leaveOutChangingRows(writtenByCommands, writtenByCommands.projections);
  }
  return { position, rows, differences: await readOwnedDifferences(shadow, maxDifferences), result };
}

/** Runs `work` in a transaction that sees the live tables as they are now. It locks them, so that the swap of a rebuild waits. */
async function inSnapshot<Result>({ client, projections, ...shadow }: Shadow, work: () => Promise<Result>): Promise<Result> {
  const tables = ["checkpoints", ...projections.flatMap((each) => each.tables)].map((table) => `public.${table}`).join(", ");
  try {
    await client.query(
      "begin isolation level repeatable read; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0",
    );
    await client.query(`lock table ${tables} in access share mode`); // before the first select, which fixes what the transaction sees
    await lockShadow(client, shadow);
    return await work();
  } finally {
    await client.query("rollback").catch(() => undefined); // fails if the connection was lost, which ends the transaction
  }
}

async function livePosition({ client, projections }: Shadow): Promise<Position> {
  const names = projections.map(({ name }) => name);
  const [first, ...others] = (await readCheckpoints(client, names)).values();
  if (!first || isBeginning(first) || others.some(isBeginning))
    throw new Error("the projections have not been built yet: start the projector, or run `projections rebuild`");
  if (others.some((each) => !isSamePosition(each, first)))
    throw new Error("the projections stand at different positions: let the projector catch up and try again");
  return { commit: first.commit, prepare: first.prepare };
}
