// What a select statement finds, as Postgres' COPY writes it: the client parses no message of each row.
import type { Pool, PoolClient } from "pg";
import { to as copyTo } from "pg-copy-streams";

export interface Select {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Until the chunks end nothing else can use the connection: whoever takes no more of them closes it. */
export async function* copiedChunks(client: PoolClient, select: Select, format: string, longestMs?: number): AsyncGenerator<Buffer> {
  const statement = `copy (${await withLiterals(client, select)}) to stdout (${format})`;
  const copied = client.query(Object.assign(copyTo(statement), { query_timeout: longestMs, callback: () => undefined }));
  copied.on("error", () => undefined); // a connection that is closed later says so here, when nobody listens any more
  try {
    yield* copied;
  } finally {
    copied.callback(); // ends the client's timer of the statement, which the stream itself leaves running
  }
}

/** Each row's columns, none null, as Postgres keeps them. A query would get bytes as hexadecimal text, whose conversion costs more than the read. */
export async function binaryRows(pool: Pool, select: Select): Promise<Buffer[][]> {
  const client = await pool.connect();
  let isRead = false;
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of copiedChunks(client, select, "format binary")) chunks.push(chunk);
    isRead = true;
    return rowsIn(Buffer.concat(chunks));
  } finally {
    client.release(!isRead);
  }
}

const headerBytes = 19;

/** A row is the number of its columns, then each with its length before it. The last number is negative. */
function rowsIn(bytes: Buffer): Buffer[][] {
  const rows: Buffer[][] = [];
  for (let at = headerBytes; ; ) {
    const columns = bytes.readInt16BE(at);
    if (columns < 0) return rows;
    at += 2;
    const row: Buffer[] = [];
    for (let column = 0; column < columns; column += 1) {
      const from = at + 4;
      at = from + bytes.readInt32BE(at);
      row.push(bytes.subarray(from, at));
    }
    rows.push(row);
  }
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
