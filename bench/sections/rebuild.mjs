// Events per second of a rebuild, beside the client's own subscription over the same log.
import { join } from "node:path";
import { runPeer } from "../contenders.mjs";
import { csvFile } from "../files.mjs";
import { startService } from "../service.mjs";
import { importOnce } from "./imports.mjs";

export async function rebuildSection({ folder, full, say, rows = full ? 500_000 : 100_000 }) {
  const service = await startService({ folder: join(folder, "service") });
  try {
    const file = await csvFile(folder, "activities", rows);
    await importOnce(service, file);
    const { url, folder: dataDir, databaseUrl, eventStoreUrl } = service;
    say("rebuild");
    const waybill = await runPeer("rebuild", { service: { url, folder: dataDir, databaseUrl, eventStoreUrl } }, service.groups);
    say("bare subscription");
    const bare = await runPeer("bareSubscription", { eventStoreUrl, wanted: waybill.rows }, service.groups);
    for (const each of [waybill, bare]) each.eventsPerSecond = Math.round((each.rows / each.ms) * 1000);
    return { waybill, bare };
  } finally {
    await service.stop();
  }
}
