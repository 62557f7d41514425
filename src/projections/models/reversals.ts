// One row per reversal. The projections `activities` and `shipments` apply the reversals to the ledgers.
import type { PoolClient } from "pg";
import { actorOf } from "../../domain/principal.js";
import type { Range } from "../../domain/ranges.js";
import type { RecordedEventOn } from "../../events/codec.js";
import { streamPrefix } from "../../events/streams.js";
import type { Projection } from "../projection.js";
import { decodeOrSkip, type SkipEvent, type SortedBatch } from "../sortedBatch.js";
import { storableJson } from "../tables/storableJson.js";

export const reversals: Projection = {
  name: "reversals",
  tables: ["reversals"],

  async apply(client, batch, options) {
    await insertReversals(client, reversalsIn(batch, options.skip));
  },
};

export type Reversal = RecordedEventOn<"reversals">;

/** The reversals of the batch, in the order of the event log. */
export const reversalsIn = ({ events }: SortedBatch, skip: SkipEvent): Reversal[] =>
  events.flatMap((stored) => (stored.stream.startsWith(streamPrefix.reversals) ? (decodeOrSkip("reversals", stored, skip) ?? []) : []));

/** The ranges as the text of an int4multirange. */
export const multirangeText = (ranges: readonly Range[]): string => `{${ranges.map(([first, last]) => `[${first},${last}]`).join()}}`;

async function insertReversals(client: PoolClient, events: readonly Reversal[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ data, metadata, position }) => ({
    reversalId: data.reversalId,
    position: String(position.commit),
    importId: data.importId,
    organisationId: metadata.organisation,
    isAll: data.rows === "all",
    rows: data.rows === "all" ? null : multirangeText(data.rows),
    // The numbers of the shipments in their import.
    shipments: data.shipments ? multirangeText(data.shipments) : null,
    count: data.count,
    reason: data.reason,
    reversedBy: actorOf(data.by),
    includedIn: data.includedIn?.reversalId ?? null,
    at: data.at,
  }));
  await client.query(
    `insert into reversals (reversal_id, position, import_id, import_position, organisation_id, is_all, rows, shipments, count, reason,
                            reversed_by, included_in, at)
     select "reversalId", r.position, "importId", i.position, "organisationId", "isAll", r.rows::int4multirange, r.shipments::int4multirange,
            r.count, r.reason, "reversedBy", "includedIn", r.at
       from jsonb_to_recordset($1) as r ("reversalId" uuid, position bigint, "importId" uuid, "organisationId" text, "isAll" boolean, rows text,
            shipments text, count integer, reason text, "reversedBy" text, "includedIn" uuid, at timestamptz)
       join imports i on i.import_id = r."importId"
     on conflict do nothing`,
    [storableJson(rows)],
  );
}
