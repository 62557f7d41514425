import type { Pool, PoolClient } from "pg";
import { fieldsOf } from "../../domain/imports/fields.js";
import { bindNames } from "../../namedSql.js";
import { copiedChunks, type Select } from "../lookUps/copyOut.js";
import { type ActivityFilter, filterValues } from "./activityFilter.js";
import { afterValues, rowsSql } from "./activityRows.js";

const fileColumns = [...fieldsOf("activity").map(({ ledgerColumn }) => `a.${ledgerColumn}`), "i.import_id", 'a."row"'].join(", ");

/**
 * Every activity that passes the filter, for files: in the order of the list's pages, in chunks of lines, all from one snapshot of the
 * ledger, without imports that complete later. A row has the fields in their order, then the import's id and the row's number.
 * Holds a connection until the rows end or the caller stops (`return`). If the caller takes no chunk for a minute, the next one fails.
 */
export async function* allActivities(organisationId: string, filter: ActivityFilter, pool: Pool): AsyncGenerator<Buffer> {
  const client = await pool.connect();
  let isHeld = true; // false after the first release, since pg refuses a second one
  const release = (broken?: Error) => {
    if (isHeld) client.release(broken);
    isHeld = false;
  };
  try {
    // No look-up is ever repeated, so memoizing them only costs time.
    await client.query("begin isolation level repeatable read read only; set local enable_memoize = off");
    const values = { ...filterValues(organisationId, filter), ...afterValues([]), totals: null, count: null };
    yield* copiedLines(client, bindNames(rowsSql(filter, fileColumns), values), release);
    await client.query("rollback");
    release();
  } finally {
    release(new Error("the rows were given up")); // closes the connection unless all rows were taken
  }
}

/** Small, since other requests wait while a chunk is written. At half this size a connection may stall for 40 ms at each read. */
const chunkBytes = 32 * 1024;
/** How long the caller may take before it asks for more. Postgres then waits in a write to the connection, where it has no time limit. */
const maxIdleMs = 60_000;
/** The longest time for a whole statement: longer than a download may take. */
const maxStatementMs = 20 * 60_000;

/**
 * The rows of the select statement, read in a transaction of the client: one line each, with tabs between columns and COPY's backslashes,
 * so that they go into a file nearly as they are. Null is empty. Until the lines end, nothing else can use the connection: `close` is
 * called with the reason if the caller takes no chunk for too long, and the caller has to close the connection if it stops early.
 */
export async function* copiedLines(client: PoolClient, select: Select, close: (reason: Error) => void): AsyncGenerator<Buffer> {
  await client.query(`set local statement_timeout = ${maxStatementMs}`);
  let idleTimer: NodeJS.Timeout | undefined;
  try {
    for await (const lines of wholeLines(copiedChunks(client, select, "null ''", maxStatementMs))) {
      idleTimer = setTimeout(() => close(new Error("nobody took the next rows for a minute")), maxIdleMs).unref();
      yield lines;
      clearTimeout(idleTimer);
    }
  } finally {
    clearTimeout(idleTimer);
  }
}

const lineFeed = 0x0a;

async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= chunkBytes) {
      const end = rest.indexOf(lineFeed, chunkBytes - 1) + 1;
      if (end === 0) break;
      yield rest.subarray(0, end);
      rest = rest.subarray(end);
    }
  }
  if (rest.length > 0) yield rest;
}
