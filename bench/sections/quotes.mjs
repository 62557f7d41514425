// Requests per second and latency of quotes, beside a bare route; alone, and while an import runs.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { encode } from "../../dist/events/codec.js";
import { csvFile } from "../files.mjs";
import { load } from "../load.mjs";
import { makeOrganisations, withAdapters } from "../organisations.mjs";
import { call, push, startService, untilEnded } from "../service.mjs";

const route = "/v1/org/quote/getQuote";
const recent = "fetch, recent";
const stored = "fetch, from the store";
const json = { "content-type": "application/json" };

const bodyFor = (customers) =>
  JSON.stringify({
    general: { customerIds: Array.from({ length: customers }, (_, n) => `CUST-${String(n + 1).padStart(3, "0")}`) },
    origin: { postalCode: "2000" },
    destination: { postalCode: "3000" },
    items: [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30 }],
  });

async function requestsTo(service, key) {
  const headers = { ...json, "x-api-key": key };
  const answerOf = (customers) => call(service, route, { method: "POST", body: bodyFor(customers), headers: json, key });
  const answers = { 1: await answerOf(1), 50: await answerOf(50) };
  const fetched = `${route}/${answers[1].results[0].quoteId}`;
  answers.fetched = await call(service, fetched, { key });
  const unseen = await quotesOfAnotherProcess(service, answers.fetched.results[0].quoteId);
  const ours = {
    "1 customer": { url: `${service.url}${route}`, method: "POST", headers, body: bodyFor(1) },
    "50 customers": { url: `${service.url}${route}`, method: "POST", headers, body: bodyFor(50) },
    [recent]: { url: `${service.url}${fetched}`, headers: { "x-api-key": key } },
    [stored]: { url: service.url, requests: [{ headers: { "x-api-key": key }, setupRequest: eachInTurn(unseen) }] },
  };
  return { ours, answers };
}

/** More quotes than the API keeps in memory: fetched in turn, each has left the memory before it is fetched again. */
const unseenQuotes = 6_000;

/** Records quotes straight in the event store, so that the API has none of them in memory. */
function quotesOfAnotherProcess(service, modelId) {
  const modelRequest = modelId.slice(0, 36);
  return withAdapters(service, async ({ eventStore: events, pool }) => {
    const model = (await events.last(`quotes-${modelRequest}`)).data;
    const context = { organisation: model.organisationId, by: model.by, correlationId: model.requestId };
    const ids = Array.from({ length: unseenQuotes }, () => randomUUID());
    const record = (id) => events.append(`quotes-${id}`, [encode("QuotesGenerated", { ...model, quotesId: id }, context, id)], -1n);
    for (let first = 0; first < ids.length; first += 100) await Promise.all(ids.slice(first, first + 100).map(record));
    await untilListed(pool, unseenQuotes);
    return ids.map((id) => `${id}-1`);
  });
}

/** Waits until the projector has written this many quotes to the table, from which the API then reads them. */
async function untilListed(pool, quotes) {
  for (;;) {
    const { rows } = await pool.query("select count(*)::int as listed from quote_requests");
    if (rows[0].listed >= quotes) return;
    await pause(100);
  }
}

function eachInTurn(ids) {
  let next = 0;
  return (request) => ({ ...request, path: `${route}/${ids[next++ % ids.length]}` });
}

async function startBareRoute(answers) {
  const child = fork(fileURLToPath(new URL("../peers/bareRoute.mjs", import.meta.url)), [JSON.stringify({ answers })]);
  const [{ port }] = await once(child, "message");
  const url = `http://127.0.0.1:${port}/quotes`;
  const post = (customers) => ({ url: `${url}/${customers}`, method: "POST", headers: json, body: bodyFor(customers) });
  const requests = { "1 customer": post(1), "50 customers": post(50), [recent]: { url: `${url}/1` }, [stored]: { url: `${url}/1` } };
  const stop = async () => {
    child.disconnect();
    await once(child, "exit");
  };
  return { requests, stop, pid: child.pid };
}

/** Runs `measure` while an import runs. Also returns how many rows per second the import made. */
async function whileImporting(service, file, measure) {
  const { statusUrl } = await push(service, "/v1/org/fulfilment", file.path);
  const startedAt = performance.now();
  const ended = untilEnded(service, statusUrl);
  for (;;) {
    if ((await call(service, statusUrl)).status !== "queued") break;
  }
  const measured = await measure();
  const running = await Promise.race([ended.then(() => false), Promise.resolve(true)]);
  await ended;
  return { measured, outlasted: running, rowsPerSecond: Math.round((file.rows / (performance.now() - startedAt)) * 1000) };
}

export async function quoteSection({ folder, full, say, profileDir }) {
  // Both sides are warmed up with the same number of requests.
  const strainOf = (name) => ({ seconds: full ? 8 : 3, connections: 20, warmUp: name === "50 customers" ? 1_000 : 8_000 });
  const service = await startService({ folder: join(folder, "service"), profileDir });
  let bare;
  try {
    const [key] = await makeOrganisations(service, ["quotes"], 50);
    const { ours, answers } = await requestsTo(service, key);
    bare = await startBareRoute(answers);
    const results = [];
    for (const name of Object.keys(ours)) {
      say(`quotes: ${name}`);
      results.push({
        name,
        waybill: await load(ours[name], strainOf(name), service.groups),
        bare: await load(bare.requests[name], strainOf(name), { bare: () => [bare.pid] }),
      });
    }
    const file = await csvFile(folder, "activities", full ? undefined : 200_000);
    say("quotes: while an import runs");
    for (const name of full ? Object.keys(ours) : ["1 customer"]) {
      const { measured, ...importing } = await whileImporting(service, file, () =>
        load(ours[name], { ...strainOf(name), warmUp: undefined }),
      );
      Object.assign(
        results.find((result) => result.name === name),
        { whileImporting: measured, importing },
      );
    }
    return results;
  } finally {
    await bare?.stop();
    await service.stop();
  }
}
