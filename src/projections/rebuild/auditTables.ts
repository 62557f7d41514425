// What an audit does with tables that were filled anew: in one transaction it brings them to the live tables' position and compares both.
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
  /** The most differences that are named. All are counted. */
  readonly most: number;
}

/**
 * `look` reads the tables that were filled anew, which its statements find under their usual names; `result` is what it returns. `rows`: how many each
 * live table has.
 */
export const auditTables = <Result>(options: AuditOptions, look: (client: PoolClient, position: Position) => Promise<Result>) =>
  withShadow("audit", options, (shadow) => inSnapshot(shadow, () => audit(shadow, options, look)));

async function audit<Result>(
  shadow: Shadow,
  { scope, most, signal, eventStore }: AuditOptions,
  look: (client: PoolClient, position: Position) => Promise<Result>,
) {
  const { client, projections, schema } = shadow;
  const position = await livePosition(shadow);
  const head = await eventStore.head(); // as early as possible: the fewer rows the event log changes in between, the fewer are left out
  await catchUp(shadow, { until: position, signal, inside: true });
  if (!isSamePosition(position, shadow.reached))
    throw new Error("the tables were put back to an earlier state while they were compared; run it again");
  const rows = await noteDifferences(shadow, scope);
  await client.query(`set local search_path to ${schema}, public`);
  const result = await look(client, position);
  await client.query("set local search_path to default");
  const ahead: Shadow = { ...shadow, projections: projections.filter(isWrittenByCommands) };
  if (ahead.projections.length > 0 && (await readOwnedDifferences(shadow, 0)).count > 0) {
    await catchUp(ahead, { until: head, signal, inside: true });
    await leaveOutChangingRows(ahead, ahead.projections);
  }
  return { position, rows, differences: await readOwnedDifferences(shadow, most), result };
}

/** A transaction that sees the live tables as they are now. Locks them against a rebuild's swap, which waits. */
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
    await client.query("rollback").catch(() => undefined); // a lost connection has ended it
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
