// Requests per second and latency of quotes, in turns with a route that makes the same promise (peers/durableRoute.mjs) on the same stores;
// alone, and while an import runs.
import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { encode } from "../../dist/events/codec.js";
import { csvFile } from "../files.mjs";
import { load, measure } from "../load.mjs";
import { makeOrganisations, withAdapters } from "../organisations.mjs";
import { endedWithUs } from "../processes.mjs";
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

/** The organisations that share the load in one of the cases. */
const organisations = Array.from({ length: 50 }, (_, n) => `quotes-${n + 1}`);

const eachOf = (keys, request) => ({ ...request, requests: keys.map((key) => ({ headers: { ...json, "x-api-key": key } })) });

/** Both sides get the same bodies, keys and, for fetches, ids. */
function requestsTo({ post, recentUrl, storedUrl }, { keys, unseen }) {
  const withKey = { "x-api-key": keys[0] };
  const posting = (customers) => ({ url: post(customers), method: "POST", headers: { ...json, ...withKey }, body: bodyFor(customers) });
  return {
    "1 customer": posting(1),
    "1 customer, 50 keys": eachOf(keys, posting(1)),
    "50 customers": posting(50),
    [recent]: { url: recentUrl, headers: withKey },
    [stored]: { url: storedUrl, requests: [{ headers: withKey, setupRequest: eachInTurn(new URL(storedUrl).pathname, unseen) }] },
  };
}

/** A quote of ours for one customer and one for fifty: the event that was recorded and the answer. */
function quotesToRepeat(service, key) {
  return withAdapters(service, async ({ eventStore: events }) => {
    const models = {};
    for (const customers of [1, 50]) {
      const answer = await call(service, route, { method: "POST", body: bodyFor(customers), headers: json, key });
      models[customers] = { answer, event: (await events.last(`quotes-${answer.results[0].quoteId.slice(0, 36)}`)).data };
    }
    return models;
  });
}

/** More quotes than the API keeps in memory: fetched in turn, each has left the memory before it is fetched again. */
const unseenQuotes = 6_000;

/** Records quotes straight in the event store, so that the API has none of them in memory. */
function quotesOfAnotherProcess(service, model) {
  return withAdapters(service, async ({ eventStore: events, pool }) => {
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

function eachInTurn(path, ids) {
  let next = 0;
  return (request) => ({ ...request, path: `${path}/${ids[next++ % ids.length]}` });
}

/** Waits until the projector has come to a quote that is asked for now, so that its work on one turn does not fall into the next. */
async function untilProjected(service, key) {
  const { results } = await call(service, route, { method: "POST", body: bodyFor(1), headers: json, key });
  for (;;) {
    const { items } = await call(service, "/v1/org/quotes?limit=1", { key });
    if (items[0]?.quoteId === results[0].quoteId) return;
    await pause(50);
  }
}

async function startDurableRoute({ databaseUrl, eventStoreUrl }, models, fetched) {
  const settings = JSON.stringify({ databaseUrl, eventStoreUrl, models, fetched });
  const child = endedWithUs(fork(fileURLToPath(new URL("../peers/durableRoute.mjs", import.meta.url)), [settings]));
  const exited = once(child, "exit");
  const [{ port }] = await once(child, "message");
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      if (child.connected) child.disconnect(); // an interrupted run has ended it already
      await exited;
    },
  };
}

/** Runs `work` while an import runs. Also returns how many rows per second the import made. */
async function whileImporting(service, file, work) {
  const { statusUrl } = await push(service, "/v1/org/fulfilment", file.path);
  const startedAt = performance.now();
  const ended = untilEnded(service, statusUrl);
  for (;;) {
    if ((await call(service, statusUrl)).status !== "queued") break;
  }
  const measured = await work();
  const running = await Promise.race([ended.then(() => false), Promise.resolve(true)]);
  await ended;
  return { measured, outlasted: running, rowsPerSecond: Math.round((file.rows / (performance.now() - startedAt)) * 1000) };
}

/** Rounds in turns, in which the sides swap places. Each side has been warmed up with the same number of requests, on twenty connections. */
async function inTurns(sides, { rounds, seconds, connections, warmUp, between }) {
  for (const { request } of Object.values(sides)) await load(request, { seconds: 1, connections: 20, warmUp });
  const measured = [];
  for (let round = 0; round < rounds; round += 1) {
    const result = {};
    const order = Object.entries(sides);
    for (const [side, { request, groups }] of round % 2 === 0 ? order : order.toReversed()) {
      await between();
      result[side] = await measure(request, { seconds, connections }, groups);
    }
    measured.push(result);
  }
  return measured;
}

export async function quoteSection({ folder, full, say, profileDir }) {
  const service = await startService({ folder: join(folder, "service"), profileDir });
  let peer;
  try {
    const keys = await makeOrganisations(service, organisations, 50);
    const models = await quotesToRepeat(service, keys[0]);
    const fetchUrl = `${service.url}${route}/${models[1].answer.results[0].quoteId}`;
    peer = await startDurableRoute(service, models, models[1].answer);
    const sent = { keys, unseen: await quotesOfAnotherProcess(service, models[1].event) };
    const { api, ...stores } = service.groups;
    const ours = requestsTo({ post: () => `${service.url}${route}`, recentUrl: fetchUrl, storedUrl: `${service.url}${route}` }, sent);
    const post = (customers) => `${peer.url}/quotes/${customers}`;
    const theirs = requestsTo({ post, recentUrl: `${peer.url}/recent/1`, storedUrl: `${peer.url}/stored` }, sent);
    const between = () => untilProjected(service, keys[0]);
    const results = [];
    for (const connections of [1, 20]) {
      for (const name of Object.keys(ours)) {
        say(`quotes: ${name}, ${connections} ${connections === 1 ? "connection" : "connections"}`);
        const sides = {
          waybill: { request: ours[name], groups: { route: api, ...stores } },
          durable: { request: theirs[name], groups: { route: () => [peer.pid], ...stores } },
        };
        const seconds = connections === 1 ? 10 : 5; // a p99 needs a few thousand requests
        const strain = { rounds: full ? 7 : 3, seconds: full ? seconds : 2, connections, warmUp: full ? 8_000 : 2_000 };
        results.push({ name, connections, rounds: await inTurns(sides, { ...strain, between }) });
      }
    }
    const file = await csvFile(folder, "activities", full ? undefined : 200_000);
    say("quotes: while an import runs");
    for (const name of full ? Object.keys(ours) : ["1 customer"]) {
      const { measured, ...importing } = await whileImporting(service, file, () =>
        load(ours[name], { seconds: full ? 8 : 3, connections: 20 }),
      );
      Object.assign(
        results.find((result) => result.name === name && result.connections === 20),
        { whileImporting: measured, importing },
      );
    }
    return results;
  } finally {
    await peer?.stop();
    await service.stop();
  }
}
