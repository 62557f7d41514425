// Which file holds a country's postcodes. The command writes the row itself; the projector writes it again when it reaches the event.
import type { Pool, PoolClient } from "pg";
import { decodeOn, type RecordedOn } from "../../events/codec.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import type { EventStore, StoredEvent } from "../../ports/eventStore.js";
import { readable, type SkipEvent } from "../sortedBatch.js";

/** The newest event of a country's stream is its whole state. */
export async function catchUpLocalities(
  { events, database }: { events: EventStore; database: Pick<Pool, "query"> },
  country: string,
): Promise<void> {
  const last = await events.last(streamOf.localities(country));
  const event = last && decodeOn("localities", last);
  if (event) await writeLocalities(database, event);
}

export async function applyLocalityEvents(
  client: Pick<PoolClient, "query">,
  batch: readonly StoredEvent[],
  skip: SkipEvent,
): Promise<void> {
  for (const stored of batch) {
    const event = stored.stream.startsWith(streamPrefix.localities) ? readable("localities", stored, skip) : undefined;
    if (event) await writeLocalities(client, event);
  }
}

async function writeLocalities(client: Pick<Pool | PoolClient, "query">, event: RecordedOn<"localities">): Promise<void> {
  const { country, key, sha256, localities } = event.data;
  await client.query(
    `insert into locality_files (country, key, sha256, localities, revision) values ($1, $2, $3, $4, $5)
     on conflict (country) do update set key = excluded.key, sha256 = excluded.sha256, localities = excluded.localities,
       revision = excluded.revision
     where locality_files.revision < excluded.revision`,
    [country, key, sha256, localities, String(event.revision)],
  );
}
