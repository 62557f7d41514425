// Runs a select statement through Postgres' COPY, so that the client need not parse a message for each row.
import type { Pool, PoolClient } from "pg";
import { to as copyTo } from "pg-copy-streams";

export interface Select {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Until the chunks end, nothing else can use the connection. A caller that stops early has to close it. */
export async function* copiedChunks(client: PoolClient, select: Select, format: string, maxStatementMs?: number): AsyncGenerator<Buffer> {
  const statement = `copy (${await inlineParameters(client, select)}) to stdout (${format})`;
  const copyStream = client.query(Object.assign(copyTo(statement), { query_timeout: maxStatementMs, callback: () => undefined }));
  copyStream.on("error", () => undefined); // keeps a later close of the connection from becoming an unhandled error
  try {
    yield* copyStream;
  } finally {
    copyStream.callback(); // ends the client's timer for the statement, which the stream itself leaves running
  }
}

/** Each row's columns in Postgres' binary format; none may be null. A query would return bytes as hexadecimal, which is slow to convert. */
export async function binaryRows(pool: Pool, select: Select): Promise<Buffer[][]> {
  const client = await pool.connect();
  let isRead = false;
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of copiedChunks(client, select, "format binary")) chunks.push(chunk);
    isRead = true;
    return parseBinaryRows(Buffer.concat(chunks));
  } finally {
    client.release(!isRead);
  }
}

const headerBytes = 19;

/** A row is the number of its columns, then each column preceded by its length. A negative number ends the rows. */
function parseBinaryRows(bytes: Buffer): Buffer[][] {
  const rows: Buffer[][] = [];
  for (let offset = headerBytes; ; ) {
    const columns = bytes.readInt16BE(offset);
    if (columns < 0) return rows;
    offset += 2;
    const row: Buffer[] = [];
    for (let column = 0; column < columns; column += 1) {
      const from = offset + 4;
      offset = from + bytes.readInt32BE(offset);
      row.push(bytes.subarray(from, offset));
    }
    rows.push(row);
  }
}

/** The statement with literals for `$1` and so on, since COPY takes no parameters. Postgres quotes the parameters' texts. */
async function inlineParameters(client: PoolClient, { text, values }: Select): Promise<string> {
  const quoted = values.map((_, index) => `quote_nullable($${index + 1}::text)`);
  const { rows } = await client.query<string[]>({ text: `select ${quoted.join(", ")}`, values: [...values], rowMode: "array" });
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => rows[0]?.[Number(number) - 1] as string);
}
