// Which file holds a country's postcodes. The command writes the row itself; the projector writes it again when it reaches the event.
import type { Pool, PoolClient } from "pg";
import { decodeOn, UnreadableEvent } from "../../events/codec.js";
import { streamOf, streamPrefix } from "../../events/streams.js";
import type { EventStore, StoredEvent } from "../../ports/eventStore.js";

/** The newest event of a country's stream is its whole state. */
export async function catchUpLocalities(
  { events, database }: { events: EventStore; database: Pick<Pool, "query"> },
  country: string,
): Promise<void> {
  const last = await events.last(streamOf.localities(country));
  if (last) await writeLocalities(database, last);
}

export async function applyLocalityEvents(
  client: Pick<PoolClient, "query">,
  batch: readonly StoredEvent[],
  skip: (event: StoredEvent, why: string) => void,
): Promise<void> {
  for (const event of batch) {
    if (!event.stream.startsWith(streamPrefix.localities)) continue;
    try {
      await writeLocalities(client, event);
    } catch (error) {
      if (!(error instanceof UnreadableEvent)) throw error;
      skip(event, error.message);
    }
  }
}

async function writeLocalities(client: Pick<Pool | PoolClient, "query">, stored: StoredEvent): Promise<void> {
  const event = decodeOn("localities", stored);
  if (!event) return;
  const { country, key, sha256, localities } = event.data;
  await client.query(
    `insert into locality_files (country, key, sha256, localities, revision) values ($1, $2, $3, $4, $5)
     on conflict (country) do update set key = excluded.key, sha256 = excluded.sha256, localities = excluded.localities,
       revision = excluded.revision
     where locality_files.revision < excluded.revision`,
    [country, key, sha256, localities, String(event.revision)],
  );
}
