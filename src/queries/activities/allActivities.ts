import type { Pool, PoolClient } from "pg";
import { to as copyTo } from "pg-copy-streams";
import { fieldsOf } from "../../domain/imports/fields.js";
import { named } from "../../namedSql.js";
import { type ActivityFilter, filterValues } from "./activityFilter.js";
import { afterValues, rowsSql } from "./activityRows.js";

const fileColumns = [...fieldsOf("activity").map(({ ledgerColumn }) => `a.${ledgerColumn}`), "i.import_id", 'a."row"'].join(", ");

/**
 * Every activity that passes the filter, for files: in the order of its pages, some at a time, all from one snapshot of the ledger, so that an
 * import that completes meanwhile is not in it. A row has the fields in their order, then the import's id and the row's number.
 * Holds a connection until the rows end or are given up (`return`), or until nobody has taken the next ones for a minute: the rows fail then.
 */
export async function* allActivities(organisationId: string, filter: ActivityFilter, pool: Pool): AsyncGenerator<CopiedLines> {
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

// Many rows at once, as Postgres' COPY writes them: the client parses no message of each row, and lines go into a file nearly as they are.
export interface CopiedLines {
  /** A line for each row, with tabs between the columns and backslashes as COPY sets them. Null is empty. */
  readonly lines: Buffer;
}

interface Select {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Few, since requests that come meanwhile wait until these are written. With half of it a connection may stall, 40 ms for each read. */
const bytesAtOnce = 32 * 1024;
/** How long the next lines may wait to be taken. Postgres waits in a write to the connection then, where none of its own limits holds. */
const patienceMs = 60_000;
/** For a whole statement, longer than a download may take. */
const longestMs = 20 * 60_000;

/**
 * What the select statement finds, in a transaction of the client. Until the lines end nothing else can use the connection: `close`
 * is called with the reason when nobody takes them, and the caller closes it too when it takes no more of them.
 */
export async function* copiedLines(client: PoolClient, select: Select, close: (reason: Error) => void): AsyncGenerator<CopiedLines> {
  const statement = `copy (${await withLiterals(client, select)}) to stdout (null '')`;
  await client.query(`set local statement_timeout = ${longestMs}`);
  const timing = { query_timeout: longestMs, callback: () => undefined };
  const copied = client.query(Object.assign(copyTo(statement), timing));
  copied.on("error", () => undefined); // a connection that is closed later says so here, when nobody listens any more
  let late: NodeJS.Timeout | undefined;
  try {
    for await (const some of wholeLines(copied)) {
      late = setTimeout(() => close(new Error("nobody took the next rows for a minute")), patienceMs).unref();
      yield some;
      clearTimeout(late);
    }
  } finally {
    clearTimeout(late);
    copied.callback(); // ends the client's timer of the statement, which the stream itself leaves running
  }
}

const lineFeed = 0x0a;

async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<CopiedLines> {
  let left: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    while (left.length >= bytesAtOnce) {
      const end = left.indexOf(lineFeed, bytesAtOnce - 1) + 1;
      if (end === 0) break;
      yield { lines: left.subarray(0, end) };
      left = left.subarray(end);
    }
  }
  if (left.length > 0) yield { lines: left };
}

/**
 * The statement with literals for `$1` and so on, since COPY takes no parameters. Postgres makes the literals, from the texts that the client
 * would send as parameters.
 */
async function withLiterals(client: PoolClient, { text, values }: Select): Promise<string> {
  const quoted = values.map((_, index) => `quote_nullable($${index + 1}::text)`);
  const { rows } = await client.query<string[]>({ text: `select ${quoted.join(", ")}`, values: [...values], rowMode: "array" });
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => rows[0]?.[Number(number) - 1] as string);
}
