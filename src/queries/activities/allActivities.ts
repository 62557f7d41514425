import type { Pool, PoolClient } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";
import { named } from "../../namedSql.js";
import { copiedChunks, type Select } from "../lookUps/copyOut.js";
import { type ActivityFilter, filterValues } from "./activityFilter.js";
import { afterValues, rowsSql } from "./activityRows.js";

const fileColumns = [...fieldsOf("activity").map(({ ledgerColumn }) => `a.${ledgerColumn}`), "i.import_id", 'a."row"'].join(", ");

/**
 * Every activity that passes the filter, for files: in the order of its pages, some at a time, all from one snapshot of the ledger, so that an
 * import that completes meanwhile is not in it. A row has the fields in their order, then the import's id and the row's number.
 * Holds a connection until the rows end or are given up (`return`), or until nobody has taken the next ones for a minute: the rows fail then.
 */
export async function* allActivities(organisationId: string, filter: ActivityFilter, pool: Pool): AsyncGenerator<Buffer> {
  const client = await pool.connect();
  let isHeld = true;
  const release = (broken?: Error) => {
    if (isHeld) client.release(broken);
    isHeld = false;
  };
  try {
    // No look-up is ever repeated, so remembering them only costs.
    await client.query("begin isolation level repeatable read read only; set local enable_memoize = off");
    const values = { ...filterValues(organisationId, filter), ...afterValues([]), totals: null, count: null };
    yield* copiedLines(client, named(rowsSql(filter, fileColumns), values), release);
    await client.query("rollback");
    release();
  } finally {
    release(new Error("the rows were given up")); // closes the connection, unless all rows were taken
  }
}

/** Few, since requests that come meanwhile wait until these are written. With half of it a connection may stall, 40 ms for each read. */
const bytesAtOnce = 32 * 1024;
/** How long the next lines may wait to be taken. Postgres waits in a write to the connection then, where none of its own limits holds. */
const patienceMs = 60_000;
/** For a whole statement, longer than a download may take. */
const longestMs = 20 * 60_000;

/**
 * What the select statement finds, in a transaction of the client: a line for each row, with tabs between the columns and backslashes as COPY sets
 * them, so that they go into a file nearly as they are. Null is empty. Until the lines end nothing else can use the connection: `close` is called
 * with the reason when nobody takes them, and the caller closes it too when it takes no more of them.
 */
export async function* copiedLines(client: PoolClient, select: Select, close: (reason: Error) => void): AsyncGenerator<Buffer> {
  await client.query(`set local statement_timeout = ${longestMs}`);
  let late: NodeJS.Timeout | undefined;
  try {
    for await (const some of wholeLines(copiedChunks(client, select, "null ''", longestMs))) {
      late = setTimeout(() => close(new Error("nobody took the next rows for a minute")), patienceMs).unref();
      yield some;
      clearTimeout(late);
    }
  } finally {
    clearTimeout(late);
  }
}

const lineFeed = 0x0a;

async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    while (left.length >= bytesAtOnce) {
      const end = left.indexOf(lineFeed, bytesAtOnce - 1) + 1;
      if (end === 0) break;
      yield left.subarray(0, end);
      left = left.subarray(end);
    }
  }
  if (left.length > 0) yield left;
}
