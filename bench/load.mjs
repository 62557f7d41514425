// Requests as fast as the connections take them.
import autocannon from "autocannon";
import { watch } from "./processes.mjs";

/** `groups`: processes whose cost per request is to be told too. */
export async function load(request, { seconds, connections }, groups = {}) {
  await autocannon({ ...request, connections, duration: 2 }); // warm, and not counted: cold code costs several times as much
  const watched = watch(groups);
  const result = await autocannon({ ...request, connections, duration: seconds });
  const cost = Object.entries(watched.end()).map(([name, { cpuUs }]) => [name, Math.round(cpuUs / result.requests.total)]);
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${request.url}: ${result.non2xx} refused, ${result.errors} failed`);
  return {
    perSecond: Math.round(result.requests.average),
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuUs: Object.fromEntries(cost),
  };
}
