// What open pages of the portal cost: quotes and the API's processor time with none and with many of them open, in turns, while imports
// run; how long pages take meanwhile; and how long the largest pages take afterwards.
//   npm run bench:portal [-- --tabs=200 --rounds=3 --seconds=4]
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import autocannon from "autocannon";
import { csvFile } from "./files.mjs";
import { steady } from "./load.mjs";
import { benchFolder, cpuOf } from "./processes.mjs";
import { call, push, startService } from "./service.mjs";

const options = { tabs: { type: "string" }, rounds: { type: "string" }, seconds: { type: "string" }, rows: { type: "string" } };
const { values } = parseArgs({ options });
const [tabs, rounds, seconds, rows] = [values.tabs ?? 200, values.rounds ?? 3, values.seconds ?? 4, values.rows ?? 300_000].map(Number);
const tabsPerSession = 20;
const quotesPerSecond = 100;
const password = "seven lazy harbours";
const email = "bench@example.com";

const folder = benchFolder();
const service = await startService({ folder: join(folder, "service") });
const forms = { "content-type": "application/x-www-form-urlencoded", origin: service.url };
const post = (path, fields) =>
  fetch(`${service.url}${path}`, { method: "POST", headers: forms, body: new URLSearchParams(fields), redirect: "manual" });
const cookieOf = (response) =>
  response.headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith("waybill="))
    ?.split(";")[0];

async function sessions(count) {
  const invitation = await service.waybill("members", "invite", "--org", "demo", "--email", email, "--role", "operator");
  const found = [cookieOf(await post(new URL(invitation).pathname, { password }))];
  while (found.length < count) found.push(cookieOf(await post("/portal/sign-in", { email, password })));
  return found;
}

/** Opens the event streams of many pages in another process, so that reading them does not slow down the measuring process. */
async function openTabs(cookies, addresses) {
  const child = fork(fileURLToPath(new URL("./peers/openTabs.mjs", import.meta.url)), []);
  child.send({ url: service.url, tabs, cookies, addresses });
  const [answer] = await once(child, "message");
  if (answer.error) throw new Error(answer.error);
  return async () => {
    child.send("close");
    const [{ bytes }] = await once(child, "message");
    return bytes;
  };
}

const quote = {
  url: `${service.url}/v1/org/quote/getQuote`,
  method: "POST",
  headers: { "content-type": "application/json", "x-api-key": service.key },
  body: JSON.stringify({
    general: { customerIds: ["CUST-001"] },
    origin: { postalCode: "2000" },
    destination: { postalCode: "3000" },
    items: [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30 }],
  }),
};

const cpu = () => service.groups.api().reduce((sum, pid) => sum + cpuOf(pid), 0);

async function measure() {
  const [from, begun] = [cpu(), performance.now()];
  const { requests, p50, p99 } = await steady(quote, { perSecond: quotesPerSecond, seconds });
  const spent = cpu() - from;
  return {
    p50,
    p99,
    "api ms of CPU a second": spent / (performance.now() - begun),
    "api us of CPU a quote": spent / requests,
  };
}

/** Milliseconds of the API's processor time per visit. */
const visitCpu = [];

/** Loads a page `count` times, one after the other. Returns how many milliseconds each took. */
async function visits(path, cookie, count = 40) {
  const taken = [];
  const from = cpu();
  for (let n = 0; n < count; n += 1) {
    const begun = performance.now();
    const page = await fetch(`${service.url}${path}`, { headers: { cookie, accept: "text/html" } });
    await page.text();
    if (page.status !== 200) throw new Error(`${path}: ${page.status}`);
    taken.push(performance.now() - begun);
  }
  visitCpu.push((cpu() - from) / count / 1_000);
  return taken;
}

const quantile = (numbers, q) => numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * q))];
const median = (numbers) => quantile(numbers, 0.5);
const round = (number) => Math.round(number * 10) / 10;

/** Keeps an import running all the time. `current` returns the id of the one that runs now. */
function keepImporting(path) {
  let statusUrl = "";
  let goesOn = true;
  const ended = (async () => {
    while (goesOn) {
      ({ statusUrl } = await push(service, "/v1/org/fulfilment", path));
      while (goesOn && !["completed", "failed"].includes((await call(service, statusUrl)).status)) await pause(250);
    }
  })();
  const current = () => statusUrl.split("/").at(-1);
  const stop = async () => {
    goesOn = false;
    await ended;
    await call(service, `${statusUrl}/cancel`, { method: "POST" }).catch(() => undefined);
  };
  return { current, stop };
}

try {
  const cookies = await sessions(Math.ceil(tabs / tabsPerSession) + 1);
  const own = cookies.pop();
  const { path } = await csvFile(folder, "activities", rows);
  await autocannon({ ...quote, connections: 4, amount: 3_000 }); // cold code costs several times as much
  const importing = keepImporting(path);
  while (!importing.current()) await pause(50);
  const found = { none: [], many: [] };
  const pages = { list: [], one: [] };
  let bytes = 0;
  for (let n = 0; n < rounds; n += 1) {
    found.none.push(await measure());
    const addresses = ["/portal/live/imports", `/portal/live/imports/${importing.current()}`];
    const close = await openTabs(cookies, addresses);
    await pause(1_500); // each page gets the present state first, which is not measured
    found.many.push(await measure());
    bytes += await close();
    pages.list.push(...(await visits("/portal/imports", own)));
    pages.one.push(...(await visits(`/portal/imports/${importing.current()}`, own)));
  }
  await importing.stop();
  const completed = (await call(service, "/v1/org/fulfilment/imports")).items.find(({ status }) => status === "completed");
  const large = {
    "/docs": "/docs",
    "rejected rows": "/portal/corrections?kind=activities",
    "rejected rows of an import": `/portal/corrections?kind=activities&import=${completed.importId}`,
    "activities by total": "/portal/activities",
    "activities by row": "/portal/activities?view=rows",
  };
  const alone = {};
  for (const [name, path] of Object.entries(large)) alone[name] = await visits(path, own);
  const names = Object.keys(found.none[0]);
  const show = (results) => Object.fromEntries(names.map((name) => [name, round(median(results.map((result) => result[name])))]));
  console.table({ "no page open": show(found.none), [`${tabs} pages open`]: show(found.many) });
  console.table(
    found.none.flatMap((none, n) => [none, found.many[n]]).map((one) => Object.fromEntries(names.map((name) => [name, round(one[name])]))),
  );
  const times = (taken) => ({ p50: round(median(taken)), p99: round(quantile(taken, 0.99)) });
  console.table(Object.fromEntries(Object.entries(alone).map(([name, taken]) => [name, { first: round(taken[0]), ...times(taken) }])));
  console.table({ "the list of imports": times(pages.list), "a running import's page": times(pages.one) });
  process.stdout.write(
    `${round(median(visitCpu))} ms of the API's processor time a visit; ${Math.round(bytes / 1024)} KiB sent to open pages\n`,
  );
} finally {
  await service.stop();
}
