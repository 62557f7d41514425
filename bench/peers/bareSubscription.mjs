// The client's own subscription over the same log: what reading it costs before anything is done with it.
import { EventStoreDBClient, START, streamNameFilter } from "@eventstore/db-client";
import { asPeer } from "./rows.mjs";

asPeer(async ({ eventStoreUrl, wanted }) => async () => {
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  const prefixes = ["import-", "organisation-", "localities-"];
  const filter = streamNameFilter({ prefixes, maxSearchWindow: 1_000, checkpointInterval: 10 });
  let rows = 0;
  for await (const { event } of client.subscribeToAll({ fromPosition: START, filter })) {
    if (event && ++rows === wanted) break;
  }
  return { rows };
});
