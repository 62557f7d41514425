// Sends requests as fast as the connections allow, or evenly at a rate.
import { Agent, request as httpRequest } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import autocannon from "autocannon";
import { onlyAtTheEnd, watch } from "./processes.mjs";

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
  return { perSecond: Math.round(result.requests.average), ...percentilesOf(times), cpuUs: Object.fromEntries(cost) };
}

function percentilesOf(times) {
  times.sort((a, b) => a - b);
  const percentile = (part) => Math.round((times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0) * 10) / 10;
  return { p50: percentile(0.5), p99: percentile(0.99) };
}

/**
 * Requests at even intervals, whether or not those before are answered; the time of each counts from when it is due. Without autocannon, which
 * keeps to a rate by sending the requests of a second all at once.
 */
export async function steady(request, { perSecond, seconds }) {
  const agent = new Agent({ keepAlive: true });
  const begun = performance.now();
  const answers = [];
  for (let n = 0; n < perSecond * seconds; n += 1) {
    const due = begun + (n * 1000) / perSecond;
    if (due > performance.now()) await pause(due - performance.now());
    answers.push(
      answered(request, agent).then(
        (status) => ({ status, ms: performance.now() - due }),
        () => ({ status: 0 }),
      ),
    );
  }
  const all = await Promise.all(answers);
  agent.destroy();
  const refused = all.filter(({ status }) => status !== 200);
  if (refused.length > 0) throw new Error(`${request.url}: ${refused.length} of ${all.length} failed, such as with ${refused[0].status}`);
  return { requests: all.length, ...percentilesOf(all.map(({ ms }) => ms)) };
}

function answered({ url, method, headers, body }, agent) {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers, agent }, (response) => {
      response
        .resume()
        .once("end", () => resolve(response.statusCode))
        .once("error", reject);
    });
    sent.once("error", reject).end(body);
  });
}
