// The client's own subscription over the same log: what reading it costs before anything is done with it.
import { EventStoreDBClient, START, streamNameFilter } from "@eventstore/db-client";
import { projectedPrefixes } from "../../dist/projections/allProjections.js";
import { asPeer } from "./rows.mjs";

/** After this time without an event the log has fewer events than wanted: fail, since the benchmark would never end. */
const patienceMs = 60_000;

asPeer(async ({ eventStoreUrl, wanted }) => async () => {
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  const filter = streamNameFilter({ prefixes: projectedPrefixes, maxSearchWindow: 1_000, checkpointInterval: 10 });
  const subscription = client.subscribeToAll({ fromPosition: START, filter });
  let rows = 0;
  const late = setTimeout(() => subscription.destroy(new Error(`${rows} of ${wanted} events came, and then none`)), patienceMs);
  for await (const { event } of subscription) {
    late.refresh();
    if (event && ++rows === wanted) break;
  }
  clearTimeout(late);
  return { rows };
});
