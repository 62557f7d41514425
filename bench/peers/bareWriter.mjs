// The bare pipeline's first process: one event per row, in batches of 500, with the plain client and nothing else.
import { EventStoreDBClient, jsonEvent } from "@eventstore/db-client";
import { asPeer, eachPiece } from "./rows.mjs";

const BATCH = 500;

asPeer(async ({ eventStoreUrl }) => {
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  return async ({ run, file }) => {
    let rows = 0;
    let waiting = [];
    const append = async () => {
      const events = waiting.splice(0, BATCH).map((data) => jsonEvent({ type: "RowAccepted", data }));
      await client.appendToStream(`import-${run}`, events, { expectedRevision: rows === 0 ? "no_stream" : BigInt(rows - 1) });
      rows += events.length;
    };
    await eachPiece(file, async (good) => {
      waiting = waiting.concat(good);
      while (waiting.length >= BATCH) await append();
    });
    if (waiting.length > 0) await append();
    return { rows };
  };
});
