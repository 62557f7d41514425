import type { PoolClient } from "pg";
import { dayOf } from "../../domain/imports/unusual.js";
import { type ActivityContent, readContent } from "../../domain/rows/activityContent.js";
import type { SortedBatch } from "../sortedBatch.js";
import { contentBlockBits } from "../tables/activities.js";

interface Block {
  readonly organisationId: string;
  readonly position: string;
  readonly day: number;
  readonly block: number;
  /** Row, low half and high half of each activity. */
  readonly numbers: number[];
}

/** A block that an earlier batch began goes on, so that the rows do not depend on where batches end. */
export async function writeContents(client: PoolClient, batch: SortedBatch): Promise<void> {
  const blocks = batch.imports.flatMap((slice) => blocksOf(slice));
  if (blocks.length === 0) return;
  const bytes = blocks.map(({ numbers }) => bytesOf(numbers));
  await client.query(
    `/* prepared */ insert into activity_contents as c (organisation_id, day, import_position, block, lows, rest)
     select * from unnest($1::text[], $2::integer[], $3::bigint[], $4::integer[], $5::bytea[], $6::bytea[])
     on conflict (organisation_id, day, import_position, block) do update set lows = c.lows || excluded.lows, rest = c.rest || excluded.rest`,
    [
      ...(["organisationId", "day", "position", "block"] as const).map((name) => blocks.map((block) => block[name])),
      bytes.map(({ lows }) => lows),
      bytes.map(({ rest }) => rest),
    ],
  );
}

const content: ActivityContent = { low: 0, high: 0, instant: 0 };

function blocksOf({ facts, accepted }: SortedBatch["imports"][number]): Block[] {
  if (facts?.kind !== "activities") return [];
  const { organisationId, position } = facts;
  const blocks = new Map<number, Block>();
  for (const { row, values } of accepted) {
    if (!readContent(values, content)) continue;
    const [day, block] = [dayOf(content.instant), row >>> contentBlockBits];
    const key = day * 2 ** 22 + block;
    const own = blocks.get(key) ?? { organisationId, position, day, block, numbers: [] };
    if (own.numbers.length === 0) blocks.set(key, own);
    own.numbers.push(row, content.low, content.high);
  }
  return [...blocks.values()];
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
