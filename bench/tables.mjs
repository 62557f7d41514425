// The tables that a run prints.
export function table(title, columns, rows) {
  const cells = [columns, ...rows.map((row) => row.map((cell) => (cell === undefined ? "" : String(cell))))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index].length)));
  const line = (row) => row.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[index]))).join("  ");
  console.log(`\n${title}`);
  console.log(line(cells[0]));
  console.log(widths.map((width) => "-".repeat(width)).join("  "));
  for (const row of cells.slice(1)) console.log(line(row));
}

export const ratio = (ours, theirs) => (ours && theirs ? (ours / theirs).toFixed(2) : undefined);

export function printImports(results) {
  const rates = results.map(({ name, waybill, plainLoader, barePipeline, emmett }) => [
    name,
    waybill.rowsPerSecond,
    plainLoader?.rowsPerSecond,
    barePipeline?.rowsPerSecond,
    emmett?.rowsPerSecond,
    ratio(waybill.rowsPerSecond, plainLoader?.rowsPerSecond),
    ratio(waybill.rowsPerSecond, barePipeline?.rowsPerSecond),
    ratio(waybill.rowsPerSecond, emmett?.rowsPerSecond),
  ]);
  table(
    "Import, rows/s from the accepted push to the ledger",
    ["", "waybill", "plain loader", "bare pipeline", "emmett", "/ loader", "/ bare", "/ emmett"],
    rates,
  );
  for (const { name, rounds } of results.filter(({ rounds }) => rounds.length > 1)) {
    const each = (who) => rounds.map((round) => ratio(round.waybill.rowsPerSecond, round[who].rowsPerSecond)).join(", ");
    console.log(`${name}, round by round: / loader ${each("plainLoader")}; / bare ${each("barePipeline")}; / emmett ${each("emmett")}`);
  }
  const [hundred, largest] = ["100k rows", "50 MB"].map((size) => results.find(({ name }) => name === `activities CSV, ${size}`)?.waybill);
  if (hundred && largest) console.log(`50 MB / 100k rows: ${ratio(largest.rowsPerSecond, hundred.rowsPerSecond)}`);
  const costs = results.flatMap((result) =>
    ["waybill", "plainLoader", "barePipeline", "emmett"].flatMap((who) =>
      Object.entries(result[who]?.processes ?? {}).map(([name, { cpuUs, peakMb, anonMb, fileMb, sharedMb }]) => [
        `${result.name}: ${who} ${name}`,
        (cpuUs / result.file.rows).toFixed(1),
        peakMb,
        anonMb,
        fileMb + sharedMb,
      ]),
    ),
  );
  table("CPU per row (us) and memory of the largest process (MB)", ["", "us/row", "peak", "own", "mapped"], costs);
  table(
    "Where an import's time goes (ms)",
    ["", "upload", "queued", "worker", "projection after it"],
    results.map(({ name, waybill: { stages } }) => [name, ...Object.values(stages).map(Math.round)]),
  );
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Medians of the rounds; the ratios are medians of each round's own. */
export function printQuotes(results) {
  const of = (rounds, side, field) => median(rounds.map((round) => round[side][field]));
  const ratios = (rounds, field) => rounds.map(({ waybill, durable }) => waybill[field] / durable[field]);
  const named = ({ name, connections }) => `${name}, ${connections}`;
  table(
    "Quotes, requests/s and latency (ms) on so many connections, beside a route that makes the same promise",
    ["", "waybill", "p50", "p99", "durable route", "p50", "p99", "rate / rate", "p99 / p99", "rounds"],
    results.map(({ rounds, ...result }) => [
      named(result),
      ...["waybill", "durable"].flatMap((side) => ["perSecond", "p50", "p99"].map((field) => of(rounds, side, field))),
      ...["perSecond", "p99"].map((field) => median(ratios(rounds, field)).toFixed(2)),
      ratios(rounds, "perSecond")
        .map((each) => each.toFixed(2))
        .join(", "),
    ]),
  );
  table(
    "Quotes while an import runs, twenty connections",
    ["", "requests/s", "p50", "p99", "p99 / alone"],
    results
      .filter(({ whileImporting }) => whileImporting)
      .map(({ rounds, name, whileImporting: { perSecond, p50, p99 } }) => [
        name,
        perSecond,
        p50,
        p99,
        ratio(p99, of(rounds, "waybill", "p99")),
      ]),
  );
  printQuoteCosts(results, named);
}

function printQuoteCosts(results, named) {
  const names = Object.keys(results[0]?.rounds[0]?.waybill.cpuUs ?? {});
  table(
    "CPU per request (us)",
    ["", ...names],
    results.flatMap(({ rounds, ...result }) =>
      ["waybill", "durable"].map((side) => [
        `${named(result)}: ${side}`,
        ...names.map((name) => median(rounds.map((round) => round[side].cpuUs[name]))),
      ]),
    ),
  );
}

export function printReads({ few, many, results }) {
  table(
    "Reads, requests/s and latency (ms)",
    ["", `${few} rows`, "p50", "p99", `${many} rows`, "p50", "p99", "p50 / p50", "rate / rate"],
    results.map(({ name, small, large }) => [
      name,
      ...[small.perSecond, small.p50, small.p99, large.perSecond, large.p50, large.p99],
      ratio(large.p50, small.p50),
      ratio(large.perSecond, small.perSecond),
    ]),
  );
}

export function printRebuild({ waybill, bare }) {
  table(
    "Rebuild, events/s",
    ["", "events/s", "/ bare"],
    [
      ["rebuild of all tables, compared and put in place", waybill.eventsPerSecond, ratio(waybill.eventsPerSecond, bare.eventsPerSecond)],
      ["the client's own subscription", bare.eventsPerSecond, undefined],
    ],
  );
}

export function printGrowth({ rows, organisations, onTheWay, empty, filled, oneOrganisation, manyOrganisations }) {
  table(
    "Growth, rows/s",
    ["", "rows/s", "ratio"],
    [
      ["into an empty service", empty, undefined],
      ...onTheWay.map(({ rowsPerSecond }, n) => [`filling it, ${n + 1} of ${onTheWay.length}`, rowsPerSecond, undefined]),
      [`with ${rows} rows there`, filled, ratio(filled, empty)],
      [`${organisations} imports of one organisation`, oneOrganisation, undefined],
      [`${organisations} imports of ${organisations} organisations`, manyOrganisations, ratio(manyOrganisations, oneOrganisation)],
    ],
  );
  const names = Object.keys(onTheWay[0].processes);
  table(
    "Growth, peak memory of the largest process (MB)",
    ["", ...names],
    onTheWay.map(({ processes }, n) => [`filling it, ${n + 1} of ${onTheWay.length}`, ...names.map((name) => processes[name].peakMb)]),
  );
}
