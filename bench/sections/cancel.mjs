// How long it takes until the worker of a running import has seen that it was cancelled, and has given the organisation's turn back.
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { csvFile, kinds } from "../files.mjs";
import { call, push, startService } from "../service.mjs";
import { table } from "../tables.mjs";

const ROWS = 100_000;
const channel = "import_cancelled";
const sight = "the import is to be cancelled";

/** When the worker has seen a cancellation, by the import: it logs it, with the time. */
const seen = new Map();

function onLog(line) {
  if (!line.includes(sight)) return;
  const { msg, importId, time } = JSON.parse(line);
  if (msg === sight) seen.set(importId, new Date(time).getTime() - performance.timeOrigin);
}

/**
 * Cancels one running import. Milliseconds from the committed mark to where the worker sees it and to the turn's end, and from the request to
 * its answer. A worker that has seen it makes no more rows, and waits for its append under way.
 */
async function cancelOnce(service, client, file) {
  const { path } = kinds.activities;
  const { importId, statusUrl } = await push(service, path, file.path);
  const holds = async () => (await client.query("select from organisation_turns where import_id = $1", [importId])).rowCount > 0;
  const isRunning = async () =>
    (await client.query("select from import_queue where import_id = $1 and started and progress > 5", [importId])).rowCount > 0;
  while (!(await isRunning())) await pause(5);
  await pause(Math.random() * 400); // anywhere between two heartbeats
  let markedAt;
  const onNotice = ({ payload }) => {
    if (payload === importId) markedAt = performance.now();
  };
  client.on("notification", onNotice);
  const sentAt = performance.now();
  let answerMs;
  const answered = call(service, `${statusUrl}/cancel`, { method: "POST" }).then(() => {
    answerMs = performance.now() - sentAt;
  });
  while (await holds()) await pause(1);
  const endedAt = performance.now();
  await answered;
  client.off("notification", onNotice);
  const after = (at) => (markedAt === undefined || at === undefined ? undefined : Math.max(0, at - markedAt));
  return { seenMs: after(seen.get(importId)), turnMs: after(endedAt), answerMs };
}

export async function cancelSection({ folder, full, say, profileDir }) {
  const file = await csvFile(folder, "activities", ROWS);
  const service = await startService({ folder: join(folder, "service"), profileDir, onLog });
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  try {
    await client.query(`listen ${channel}`);
    for (let n = 0; n < 3; n += 1) await cancelOnce(service, client, file); // the first ones run cold code
    const measured = [];
    for (let n = 0; n < (full ? 100 : 20); n += 1) {
      if (n % 10 === 0) say(`cancel: ${n}`);
      measured.push(await cancelOnce(service, client, file));
    }
    const spread = (name) => {
      const values = measured
        .map((one) => one[name])
        .filter((ms) => ms !== undefined)
        .toSorted((a, b) => a - b);
      return { p50: values[Math.floor(values.length * 0.5)], p95: values[Math.floor(values.length * 0.95)] };
    };
    const known = measured.filter(({ seenMs }) => seenMs !== undefined).length;
    return { cancellations: measured.length, known, seen: spread("seenMs"), turn: spread("turnMs"), answer: spread("answerMs") };
  } finally {
    await client.end();
    await service.stop();
  }
}

export function printCancel({ cancellations, known, seen: told, turn, answer }) {
  const row = (name, { p50, p95 }) => [name, p50?.toFixed(0), p95?.toFixed(0)];
  table(
    `Cancelling a running import, ms (${cancellations} times, of which the worker was still importing in ${known})`,
    ["", "p50", "p95"],
    [
      row("from the mark to where the worker sees it (target: p95 100)", told),
      row("from the mark to the end of the worker's turn", turn),
      row("from the request to its answer", answer),
    ],
  );
}
