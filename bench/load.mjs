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
  return measure(request, { seconds, connections }, groups);
}

/** The same without requests that are not counted. */
export async function measure(request, { seconds, connections }, groups = {}) {
  const watched = watch(groups, onlyAtTheEnd);
  const times = [];
  const running = autocannon({ ...request, connections, duration: seconds });
  running.on("response", (_client, _status, _bytes, ms) => times.push(ms)); // autocannon's own percentiles are whole milliseconds
  const result = await running;
  const cost = Object.entries(watched.end()).map(([name, { cpuUs }]) => [name, Math.round(cpuUs / result.requests.total)]);
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${request.url}: ${result.non2xx} refused, ${result.errors} failed`);
  times.sort((a, b) => a - b);
  const percentile = (part) => Math.round((times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0) * 10) / 10;
  return {
    perSecond: Math.round(result.requests.average),
    p50: percentile(0.5),
    p99: percentile(0.99),
    cpuUs: Object.fromEntries(cost),
  };
}
