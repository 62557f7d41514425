// The bare pipeline's second process: a plain subscription, COPY, no checkpoint. Ends when it has brought `wanted` rows to the table.
import { EventStoreDBClient, START, streamNameFilter } from "@eventstore/db-client";
import { asPeer, copyAll, copyLine, freshTable } from "./rows.mjs";

const BATCH = 2_000;

asPeer(async ({ databaseUrl, eventStoreUrl, kind }) => {
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  const database = await freshTable(databaseUrl, kind);
  const filter = streamNameFilter({ prefixes: ["import-"], maxSearchWindow: 1_000, checkpointInterval: 10 });
  let after = START; // the position of the last event that was read; the next run goes on from there

  return async ({ run, wanted }) => {
    const line = copyLine(kind, run);
    let rows = 0;
    let lines = "";
    let held = 0;
    const flush = async () => {
      const [ready, count] = [lines, held];
      [lines, held] = ["", 0];
      if (count > 0) await copyAll(database, kind, ready);
      rows += count;
    };
    const follow = async () => {
      for await (const { event, commitPosition } of client.subscribeToAll({ fromPosition: after, filter })) {
        after = event.position ?? { commit: commitPosition, prepare: commitPosition };
        lines += line(event.data.row, event.data.values);
        held += 1;
        if (held < BATCH && rows + held < wanted) continue;
        await flush();
        if (rows >= wanted) return;
      }
    };
    while (rows < wanted) {
      try {
        await follow();
      } catch (error) {
        // The server drops a live subscription that is too slow, as a real one does: subscribe again.
        if (!/too slow/.test(error.message)) throw error;
      }
    }
    return { rows };
  };
});
