// Sends requests as fast as the connections allow.
import autocannon from "autocannon";
import { watch } from "./processes.mjs";

const onlyAtTheEnd = 3_600_000; // reading /proc costs the load generator more than a request does

/**
 * `groups`: processes whose cost per request is reported too. `warmUp`: requests that are sent first and not counted, since cold
 * code costs several times as much; without it, two seconds of requests.
 */
export async function load(request, { seconds, connections, warmUp }, groups = {}) {
  await autocannon({ ...request, connections, ...(warmUp ? { amount: warmUp } : { duration: 2 }) });
  const watched = watch(groups, onlyAtTheEnd);
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
