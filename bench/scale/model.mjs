// How many rows per second each part can take, from the measured costs of a row and of an import. Pure: no clock, no files.

/** Microseconds of processor time, by process. Postgres' include the vacuum's. */
export const processes = ["api", "worker", "projector", "eventStore", "postgres"];

/** What a row, and an import whatever its size, cost. Everything but the bytes and the counts is in microseconds. */
export const measures = [
  ...processes.map((name) => `${name}Us`),
  "generatorUs", // of the program that pushes and waits, which shares the machine with what is measured
  "lineUs", // elapsed, from one end of an import to the next, where a worker does nothing else: an organisation's imports run one by one
  "drainUs", // elapsed, while the projector catches up and does nothing else: its own time, and that in which it waits for Postgres
  "followUs", // elapsed, while the webhook follower reads past it, or notes it
  "logBytes",
  "walBytes",
  "heapBytes",
  "indexBytes",
  "objectBytes",
  "deadTuples",
  "vacuumUnits",
  "statements",
];

export const kinds = ["activitiesCsv", "activitiesJson", "shipmentsCsv", "shipmentsJson"];

/** Organisations that one worker process serves at once (`src/workers/imports/runWorker.ts`). */
export const placesPerWorker = 4;

/** Started and completed. */
const toldPerImport = 2;

/** Autovacuum's defaults: it pauses 2 ms after every 200 units (a page found 1, read 2, dirtied 20), however many of its workers run. */
const vacuumUnitsPerSecond = (200 / 2) * 1000;

const second = 1_000_000;
const megabyte = 1_000_000;

/** @typedef {{ kind: string, rowsPerImport: number, organisations: number, cores: number, workers: number, apis: number, readsPerSecond: number, endpoints: number, diskMbPerSecond?: number, withGenerator?: boolean }} Load */

/** What one row costs in imports of this size. */
export function costOf(costs, { kind, rowsPerImport }, measure) {
  const { row, import: whole } = costs.kinds[kind];
  return row[measure] + whole[measure] / rowsPerImport;
}

/** All walls, the first one met first: `rowsPerSecond` is Infinity where the load never meets it. */
export function wallsOf(costs, load) {
  const cost = (measure) => costOf(costs, load, measure);
  const per = (room, each) => (each > 0 ? Math.max(0, room) / each : Number.POSITIVE_INFINITY);
  const disk = (load.diskMbPerSecond ?? costs.disk.syncedMbPerSecond) * megabyte;
  const { readsPerSecond: reads, workers, rowsPerImport } = load;
  const ofReads = (name) => reads * (costs.read[`${name}Us`] ?? 0);
  const inAll = [...processes, ...(load.withGenerator ? ["generator"] : [])];
  const lines = Math.min(load.organisations, workers * placesPerWorker);
  const told = (toldPerImport * load.endpoints) / rowsPerImport;
  const walls = [
    {
      name: "all cores",
      rowsPerSecond: per(load.cores * second - ofReads("api") - ofReads("postgres"), sum(inAll.map((name) => cost(`${name}Us`)))),
    },
    { name: "organisations' queues", rowsPerSecond: per(lines * second, cost("lineUs")) },
    { name: "worker processes", rowsPerSecond: per(workers * second, cost("workerUs") + told * costs.delivery.workerUs) },
    { name: "API processes", rowsPerSecond: per(load.apis * second - ofReads("api"), cost("apiUs")) },
    { name: "the projector", rowsPerSecond: per(second, cost("drainUs")) },
    { name: "the leader's appends", rowsPerSecond: per(second, cost("eventStoreUs")) },
    { name: "the log's disk", rowsPerSecond: per(disk, cost("logBytes")) },
    { name: "Postgres' WAL", rowsPerSecond: per(disk, cost("walBytes")) },
    { name: "vacuum", rowsPerSecond: per(vacuumUnitsPerSecond, cost("vacuumUnits")) },
    { name: "the webhook follower", rowsPerSecond: per(second, cost("followUs")) },
    {
      name: "one endpoint's deliveries",
      rowsPerSecond: per(second, ((told / Math.max(1, load.endpoints)) * costs.delivery.elapsedUs) / load.organisations),
    },
    { name: "the object store's disk", rowsPerSecond: per(disk, cost("objectBytes")) },
  ];
  return walls.toSorted((one, other) => one.rowsPerSecond - other.rowsPerSecond);
}

/** Gigabytes that a day at this rate adds. */
export function bytesPerDay(costs, load, rowsPerSecond) {
  const gigabytes = (...names) => (sum(names.map((name) => costOf(costs, load, name))) * rowsPerSecond * 86_400) / 1e9;
  return {
    log: gigabytes("logBytes"),
    tables: gigabytes("heapBytes", "indexBytes"),
    wal: gigabytes("walBytes"),
    objects: gigabytes("objectBytes"),
  };
}

const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);

/**
 * Two runs of imports of different sizes, each as totals: what a row costs, and what an import costs beside its rows. A cost that comes out
 * below nothing is noise; then the other one takes all.
 */
export function fitted(small, large) {
  const row = {};
  const whole = {};
  for (const name of Object.keys(small.totals)) {
    const [few, many] = [small.totals[name] / small.imports, large.totals[name] / large.imports];
    const [fewRows, manyRows] = [small.rows / small.imports, large.rows / large.imports];
    const slope = (many - few) / (manyRows - fewRows);
    const fixed = few - slope * fewRows;
    row[name] = fixed < 0 ? Math.max(0, many / manyRows) : Math.max(0, slope);
    whole[name] = fixed < 0 ? 0 : slope < 0 ? Math.max(0, few) : fixed;
  }
  return { row, import: whole };
}

/** Sentences about what is missing or no number; none if the costs are complete. */
export function faultsOf(costs) {
  const faults = [];
  const check = (path, value) => {
    if (typeof value !== "number" || !Number.isFinite(value) || value < 0) faults.push(`${path} is no number of at least 0`);
  };
  for (const kind of kinds)
    for (const part of ["row", "import"])
      for (const name of measures) check(`kinds.${kind}.${part}.${name}`, costs?.kinds?.[kind]?.[part]?.[name]);
  check("read.apiUs", costs?.read?.apiUs);
  check("read.postgresUs", costs?.read?.postgresUs);
  check("delivery.workerUs", costs?.delivery?.workerUs);
  check("delivery.elapsedUs", costs?.delivery?.elapsedUs);
  check("disk.syncedMbPerSecond", costs?.disk?.syncedMbPerSecond);
  check("machine.cores", costs?.machine?.cores);
  if (!Array.isArray(costs?.checks) || costs.checks.length === 0) faults.push("checks has no measured point");
  for (const name of ["command", "form", "at"]) if (typeof costs?.[name] !== "string") faults.push(`${name} is missing`);
  return faults;
}
