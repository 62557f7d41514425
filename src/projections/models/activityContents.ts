// Writes `activity_contents`, a hash of each activity, when an import completes: from hashes kept in memory, or from its rows in the table.
import type { PoolClient } from "pg";
import { instantOf } from "../../domain/imports/timestamp.js";
import { dayOf } from "../../domain/imports/unusual.js";
import { type ActivityHash, hashActivity } from "../../domain/rows/activityHash.js";
import { contentBlockBits } from "../tables/activities.js";

interface ContentBlock {
  readonly day: number;
  readonly block: number;
  /** For each activity three numbers: its row, and the low and the high half of its hash. */
  readonly numbers: number[];
}

export interface ImportContents {
  readonly organisationId: string;
  readonly position: string;
  readonly blocks: readonly ContentBlock[];
}

const hash: ActivityHash = { low: 0, high: 0 }; // reused for every row
const maxBlocks = 2 ** 12; // more than an import has

export function createContentBlocks() {
  const blocks = new Map<number, ContentBlock>();
  return {
    /** The caller adds rows in ascending order. `instant` is the row's timestamp in milliseconds since 1970. */
    add(row: number, values: Readonly<Record<string, unknown>>, instant: number): void {
      hashActivity(values, instant, hash);
      const [day, block] = [dayOf(instant), row >>> contentBlockBits];
      const key = day * maxBlocks + block;
      const contentBlock = blocks.get(key) ?? { day, block, numbers: [] };
      if (contentBlock.numbers.length === 0) blocks.set(key, contentBlock);
      contentBlock.numbers.push(row, hash.low, hash.high);
    },
    result: (): ContentBlock[] => [...blocks.values()],
  };
}

/** Limits a statement to some 3 MB. */
const numbersPerStatement = 400_000;

export async function writeContents(client: PoolClient, contents: readonly ImportContents[]): Promise<void> {
  let [blocks, numberCount]: [(ContentBlock & Omit<ImportContents, "blocks">)[], number] = [[], 0];
  for (const { organisationId, position, blocks: importBlocks } of contents) {
    for (const block of importBlocks) {
      blocks.push({ organisationId, position, ...block });
      numberCount += block.numbers.length;
      if (numberCount < numbersPerStatement) continue;
      await insertBlocks(client, blocks);
      [blocks, numberCount] = [[], 0];
    }
  }
  if (blocks.length > 0) await insertBlocks(client, blocks);
}

async function insertBlocks(client: PoolClient, blocks: readonly (ContentBlock & Omit<ImportContents, "blocks">)[]): Promise<void> {
  const bytes = blocks.map(({ numbers }) => bytesOf(numbers));
  await client.query(
    `/* prepared */ insert into activity_contents (organisation_id, day, import_position, block, lows, rest)
     select * from unnest($1::text[], $2::integer[], $3::bigint[], $4::integer[], $5::bytea[], $6::bytea[]) on conflict do nothing`,
    [
      ...(["organisationId", "day", "position", "block"] as const).map((name) => blocks.map((block) => block[name])),
      bytes.map(({ lows }) => lows),
      bytes.map(({ rest }) => rest),
    ],
  );
}

function bytesOf(numbers: readonly number[]): { lows: Buffer; rest: Buffer } {
  const count = numbers.length / 3;
  const [lows, rest] = [Buffer.allocUnsafe(count * 4), Buffer.allocUnsafe(count * 8)];
  for (let index = 0; index < count; index += 1) {
    lows.writeInt32LE(numbers[index * 3 + 1] as number, index * 4);
    rest.writeInt32LE(numbers[index * 3 + 2] as number, index * 8);
    rest.writeInt32LE(numbers[index * 3] as number, index * 8 + 4);
  }
  return { lows, rest };
}

/** For an import without hashes in memory. Reads its rows block by block, so that those of a large import are never all in memory. */
export async function writeContentsOfRows(client: PoolClient, key: Omit<ImportContents, "blocks">): Promise<void> {
  const { rows: lastRows } = await client.query<{ last: number | null }>(
    'select max("row") as last from activities where import_position = $1',
    [key.position],
  );
  for (let from = 0; from <= (lastRows[0]?.last ?? -1); from += 1 << contentBlockBits) {
    const { rows } = await client.query<{ row: number; activityTimestamp: string }>(
      `select "row", customer_id as "customerId", warehouse_code as "warehouseCode", charge_code as "chargeCode", reference, quantity,
              activity_timestamp as "activityTimestamp"
         from activities where import_position = $1 and "row" >= $2 and "row" < $3 order by "row"`,
      [key.position, from, from + (1 << contentBlockBits)],
    );
    const blocks = createContentBlocks();
    for (const values of rows) {
      const instant = instantOf(values.activityTimestamp, "UTC");
      if (instant !== undefined) blocks.add(values.row, { ...values }, instant); // undefined only for rows of old versions
    }
    await writeContents(client, [{ ...key, blocks: blocks.result() }]);
  }
}
