// `activity_contents` is written when an import completes, from what was kept in memory as its rows passed, or else from its rows in the table.
import type { PoolClient } from "pg";
import { instantOf } from "../../domain/imports/timestamp.js";
import { dayOf } from "../../domain/imports/unusual.js";
import { type ActivityHash, hashActivity } from "../../domain/rows/activityHash.js";
import { contentBlockBits } from "../tables/activities.js";

interface ContentBlock {
  readonly day: number;
  readonly block: number;
  /** Row, low half and high half of each activity. */
  readonly numbers: number[];
}

export interface ImportContents {
  readonly organisationId: string;
  readonly position: string;
  readonly blocks: readonly ContentBlock[];
}

const content: ActivityHash = { low: 0, high: 0 };
const mostBlocks = 2 ** 12;

export function createContentBlocks() {
  const blocks = new Map<number, ContentBlock>();
  return {
    /** Rows are added in ascending order. `instant`: that of its timestamp. */
    add(row: number, values: Readonly<Record<string, unknown>>, instant: number): void {
      hashActivity(values, instant, content);
      const [day, block] = [dayOf(instant), row >>> contentBlockBits];
      const key = day * mostBlocks + block;
      const own = blocks.get(key) ?? { day, block, numbers: [] };
      if (own.numbers.length === 0) blocks.set(key, own);
      own.numbers.push(row, content.low, content.high);
    },
    all: (): ContentBlock[] => [...blocks.values()],
  };
}

/** As numbers are kept: a statement has some 3 MB. */
const numbersAtOnce = 400_000;

export async function writeContents(client: PoolClient, contents: readonly ImportContents[]): Promise<void> {
  let [blocks, numbers]: [(ContentBlock & Omit<ImportContents, "blocks">)[], number] = [[], 0];
  for (const { organisationId, position, blocks: ofImport } of contents) {
    for (const block of ofImport) {
      blocks.push({ organisationId, position, ...block });
      numbers += block.numbers.length;
      if (numbers < numbersAtOnce) continue;
      await insertBlocks(client, blocks);
      [blocks, numbers] = [[], 0];
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
  for (let at = 0; at < count; at += 1) {
    lows.writeInt32LE(numbers[at * 3 + 1] as number, at * 4);
    rest.writeInt32LE(numbers[at * 3 + 2] as number, at * 8);
    rest.writeInt32LE(numbers[at * 3] as number, at * 8 + 4);
  }
  return { lows, rest };
}

/** Block by block, so that the rows of a large import are not all in memory. */
export async function writeContentsOfRows(client: PoolClient, of: Omit<ImportContents, "blocks">): Promise<void> {
  const { rows: found } = await client.query<{ last: number | null }>(
    'select max("row") as last from activities where import_position = $1',
    [of.position],
  );
  for (let from = 0; from <= (found[0]?.last ?? -1); from += 1 << contentBlockBits) {
    const { rows } = await client.query<{ row: number; activityTimestamp: string }>(
      `select "row", customer_id as "customerId", warehouse_code as "warehouseCode", charge_code as "chargeCode", reference, quantity,
              activity_timestamp as "activityTimestamp"
         from activities where import_position = $1 and "row" >= $2 and "row" < $3 order by "row"`,
      [of.position, from, from + (1 << contentBlockBits)],
    );
    const blocks = createContentBlocks();
    for (const values of rows) {
      const instant = instantOf(values.activityTimestamp, "UTC");
      if (instant !== undefined) blocks.add(values.row, { ...values }, instant); // an old version accepted some that cannot be read
    }
    await writeContents(client, [{ ...of, blocks: blocks.all() }]);
  }
}
