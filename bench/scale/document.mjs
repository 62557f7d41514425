// The tables that tables.md beside this file has between `<!-- scale NAME -->` and `<!-- end -->`, and the same for the terminal.
import { table } from "../tables.mjs";
import { costOf, kinds, processes, wallsOf } from "./model.mjs";

const names = {
  activitiesCsv: "activities, CSV",
  activitiesJson: "activities, JSON",
  shipmentsCsv: "lines of shipments, CSV",
  shipmentsJson: "lines of shipments, JSON",
};

const inMicroseconds = [
  ...processes.map((name) => [`${name}Us`, `${name === "eventStore" ? "event store" : name}, us`]),
  ["lineUs", "one queue, us"],
  ["drainUs", "catching up, us"],
  ["followUs", "webhook follower, us"],
];
const counted = [
  ["logBytes", "log, bytes"],
  ["walBytes", "WAL, bytes"],
  ["heapBytes", "tables, bytes"],
  ["indexBytes", "indexes, bytes"],
  ["objectBytes", "objects, bytes"],
  ["deadTuples", "dead tuples"],
  ["vacuumUnits", "vacuum, units"],
  ["statements", "statements"],
];

/** Three digits that count. */
export function short(number) {
  if (!Number.isFinite(number)) return "-";
  if (number >= 100) return Math.round(number).toLocaleString("en");
  return String(Number(number.toPrecision(number < 1 ? 2 : 3)));
}

const costRows = (costs, part, measures) =>
  measures.map(([measure, name]) => [name, ...kinds.map((kind) => short(costs.kinds[kind][part][measure]))]);

/** What the load was like when a point was measured: one machine for everything, the generator included. */
const loadAt = (costs, { kind, workers, organisations, rowsPerImport }) => ({
  ...defaults(costs),
  kind,
  workers,
  organisations,
  rowsPerImport,
  withGenerator: true,
});

export const defaults = (costs) => ({
  kind: "activitiesCsv",
  rowsPerImport: 1_000,
  organisations: 200,
  cores: costs.machine.cores,
  workers: 1,
  apis: 1,
  readsPerSecond: 0,
  endpoints: 0,
});

export function checkRows(costs) {
  return costs.checks.map((point) => {
    const [first] = wallsOf(costs, loadAt(costs, point));
    const error = first.rowsPerSecond / point.rowsPerSecond - 1;
    return [
      `${point.workers} and ${point.organisations}`,
      short(point.rowsPerSecond),
      short(first.rowsPerSecond),
      first.name,
      `${error < 0 ? "" : "+"}${Math.round(error * 100)} %`,
    ];
  });
}

const sizes = [
  { cores: 2, workers: 1, apis: 1 },
  { cores: 8, workers: 2, apis: 2 },
  { cores: 32, workers: 8, apis: 4 },
];

function wallRows(costs) {
  const all = ["activitiesCsv", "shipmentsCsv"].flatMap((kind) =>
    sizes.map((size) => wallsOf(costs, { ...defaults(costs), ...size, kind, endpoints: 1 })),
  );
  return all[0]
    .map(({ name }) => name)
    .toSorted()
    .map((name) => [
      name,
      ...all.map((walls) => {
        const { rowsPerSecond } = walls.find((wall) => wall.name === name);
        return walls[0].name === name ? `**${short(rowsPerSecond)}**` : short(rowsPerSecond);
      }),
    ]);
}

const size = ({ cores, workers, apis }) => `${cores} cores, ${workers} w, ${apis} api`;

function tablesOf(costs) {
  const readRows = Object.entries(costs.read.each).map(([name, { apiUs, postgresUs }]) => [name, short(apiUs), short(postgresUs)]);
  return {
    "costs of a row": [
      ["", ...kinds.map((kind) => names[kind])],
      [...costRows(costs, "row", inMicroseconds), ...costRows(costs, "row", counted)],
    ],
    "costs of an import": [
      ["", ...kinds.map((kind) => names[kind])],
      [...costRows(costs, "import", inMicroseconds), ...costRows(costs, "import", counted)],
    ],
    reads: [
      ["", "api, us", "postgres, us"],
      [
        ...readRows,
        [
          "a delivery to a webhook (the worker's us, elapsed us at one endpoint)",
          short(costs.delivery.workerUs),
          short(costs.delivery.elapsedUs),
        ],
      ],
    ],
    checks: [["worker processes and organisations", "measured, rows/s", "predicted", "first wall", "error"], checkRows(costs)],
    walls: [["rows/s", ...["activities", "shipments"].flatMap((kind) => sizes.map((each) => `${kind}, ${size(each)}`))], wallRows(costs)],
  };
}

export function printScale(costs) {
  for (const [name, [columns, rows]] of Object.entries(tablesOf(costs))) table(`Scale, ${name}`, columns, rows);
}

/** The text with the tables of these costs in place of those it has. Throws where a table has no place in it. */
export function withTables(text, costs) {
  const where = `Measured ${costs.at.slice(0, 10)} by \`${costs.command}\` (${costs.form} form) on ${costs.machine.cores} cores (${costs.machine.cpu}, Node ${costs.machine.node}, load average ${short(costs.machine.loadBefore)} before).`;
  const parts = {
    machine: where,
    ...Object.fromEntries(Object.entries(tablesOf(costs)).map(([name, [columns, rows]]) => [name, markdown(columns, rows)])),
  };
  return Object.entries(parts).reduce((written, [name, content]) => {
    const place = new RegExp(`(<!-- scale ${name} -->\n)[^]*?(<!-- end -->)`);
    if (!place.test(written)) throw new Error(`there is no place for the table "${name}"`);
    return written.replace(place, (_, begin, end) => `${begin}${content}\n${end}`);
  }, text);
}

const markdown = (columns, rows) =>
  [columns, columns.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n")
    .replaceAll("|  |", "| |");

/** For one load: each wall, its rate, and how much of it the load takes. */
export function printWalls(costs, load, rowsPerSecond) {
  const walls = wallsOf(costs, load);
  table(
    `${short(rowsPerSecond)} rows/s of ${load.kind} in imports of ${short(load.rowsPerImport)} rows: ${load.organisations} organisations, ${load.cores} cores, ${load.workers} worker and ${load.apis} API processes`,
    ["wall", "rows/s", "taken", ""],
    walls.map((wall) => [
      wall.name,
      short(wall.rowsPerSecond),
      `${short((100 * rowsPerSecond) / wall.rowsPerSecond)} %`,
      rowsPerSecond > wall.rowsPerSecond ? "met" : "",
    ]),
  );
  const [first] = walls;
  console.log(
    `\n${first.rowsPerSecond < rowsPerSecond ? "Met first" : "Not met; the first would be"}: ${first.name}, at ${short(first.rowsPerSecond)} rows/s.`,
  );
  const share = (name) => `${name === "eventStore" ? "event store" : name} ${short(costOf(costs, load, `${name}Us`))}`;
  console.log(`Processor time per row in us: ${processes.map(share).join(", ")}.`);
}
