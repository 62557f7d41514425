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
