// Rows per second from the accepted push to `completed` and visible in the ledger, beside the three contenders.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { barePipeline, emmettPeer, plainLoader } from "../contenders.mjs";
import { csvFile, kinds, xlsxFile } from "../files.mjs";
import { watch } from "../processes.mjs";
import { call, push, startService, untilEnded } from "../service.mjs";

/** One import by the product, watched from the accepted push on. */
export async function importOnce(service, file, { key } = {}) {
  const { path } = kinds[file.kind];
  const watched = watch(service.groups);
  const sentAt = performance.now();
  const { statusUrl, importId } = await push(service, path, file.path, key);
  const acceptedAt = performance.now();
  const view = await untilEnded(service, statusUrl, key ? { key } : {});
  const ledger = file.kind === "activities" ? `/v1/org/ledger/activities?importId=${importId}&limit=1` : "/v1/org/ledger/shipments?limit=1";
  const { items } = await call(service, ledger, key ? { key } : {});
  const ms = performance.now() - acceptedAt;
  if (items.length !== 1 || view.counts.received !== file.rows) throw new Error(`import ${importId} is not what was sent`);
  const at = (name) => new Date(view[name]).getTime();
  return {
    rows: view.counts.received,
    ms,
    importId,
    processes: watched.end(),
    stages: {
      uploadMs: acceptedAt - sentAt,
      // submittedAt is when the request began, which is before the file had arrived
      queuedMs: Math.max(0, at("startedAt") - at("submittedAt") - (acceptedAt - sentAt)),
      workerMs: at("finishedAt") - at("startedAt"),
      projectionTailMs: Math.max(0, ms + acceptedAt - sentAt - (at("finishedAt") - at("submittedAt"))),
    },
  };
}

const contenders = ["waybill", "plainLoader", "barePipeline", "emmett"];
/** The machine's speed changes from minute to minute: contenders take turns, and the median round of each counts. */
const ROUNDS = 3;

async function ourTurn({ folder, profileDir, warmUps, say }, turns) {
  const own = join(folder, "service");
  const service = await startService({ folder: own, profileDir });
  try {
    for (const file of warmUps) await importOnce(service, file); // the first import runs cold code
    for (const { input, result } of turns) {
      say(`import: ${input.name}`);
      result.rounds.push({ waybill: await importOnce(service, input.file) });
    }
  } finally {
    await service.stop();
    rmSync(own, { recursive: true, force: true });
  }
}

async function theirTurn({ folder, warmUps, say }, { file, peers, loader, name }) {
  if (!peers && !loader) return {};
  const given = { file, warmUp: warmUps.find(({ kind, format }) => kind === file.kind && format === file.format) };
  say(`plain loader: ${name}`);
  const measured = { plainLoader: await plainLoader(folder, given) };
  if (!peers) return measured;
  say(`bare pipeline: ${name}`);
  measured.barePipeline = await barePipeline(folder, given);
  say(`emmett: ${name}`);
  measured.emmett = await emmettPeer(folder, given);
  return measured;
}

function middleOf({ rounds, file }) {
  const middle = {};
  for (const who of contenders) {
    const measured = rounds.flatMap((round) => round[who] ?? []);
    for (const one of measured) one.rowsPerSecond = Math.round((file.rows / one.ms) * 1000);
    if (measured.length > 0) middle[who] = measured.toSorted((one, other) => one.rowsPerSecond - other.rowsPerSecond)[measured.length >> 1];
  }
  return middle;
}

export async function importSection({ folder, full, say, profileDir }) {
  const files = join(folder, "files");
  mkdirSync(files, { recursive: true });
  const large = await csvFile(files, "activities", full ? undefined : 100_000);
  const inputs = [
    { name: "activities CSV, 10k rows", file: await csvFile(files, "activities", 10_000) },
    ...(full ? [{ name: "activities CSV, 100k rows", file: await csvFile(files, "activities", 100_000) }] : []),
    { name: full ? "activities CSV, 50 MB" : "activities CSV, 100k rows", file: large, peers: true },
    {
      name: full ? "shipments CSV, 100k lines" : "shipments CSV, 20k lines",
      file: await csvFile(files, "shipments", full ? 100_000 : 20_000),
      loader: true,
    },
    {
      name: full ? "activities XLSX, 600k rows" : "activities XLSX, 20k rows",
      file: await xlsxFile(files, "activities", full ? 600_000 : 20_000),
      loader: true,
    },
  ];
  const warmUps = [
    await csvFile(files, "activities", 5_000),
    await csvFile(files, "shipments", 5_000),
    await xlsxFile(files, "activities", 5_000),
  ];
  const results = inputs.map(({ name, file }) => ({ name, file: { rows: file.rows, bytes: file.bytes }, rounds: [] }));
  for (let round = 0; round < (full ? ROUNDS : 1); round++) {
    const turns = inputs.flatMap((input, index) => (round === 0 || input.peers ? [{ input, result: results[index] }] : []));
    await ourTurn({ folder, profileDir, warmUps, say }, turns);
    for (const { input, result } of turns) Object.assign(result.rounds[round], await theirTurn({ folder, warmUps, say }, input));
  }
  for (const result of results) Object.assign(result, middleOf(result));
  return results;
}
