// Requests as fast as ten connections take them.
import autocannon from "autocannon";

export async function load(request, seconds, connections = 10) {
  const options = { connections, duration: seconds, ...request };
  await autocannon({ ...options, duration: 1 }); // warm, and not counted
  const result = await autocannon(options);
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${request.url}: ${result.non2xx} refused, ${result.errors} failed`);
  return { perSecond: Math.round(result.requests.average), p50: result.latency.p50, p99: result.latency.p99 };
}
