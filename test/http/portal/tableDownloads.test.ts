import { PassThrough } from "node:stream";
import { setImmediate as nextIteration, setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";
import {
  csvPieces,
  type DownloadedTable,
  type Pieces,
  pacedRows,
  pauseAfterBatchMs,
  splitBatches,
  workbookPieces,
} from "../../../src/http/portal/downloads.js";
import type { CsvCell, Spreadsheets } from "../../../src/ports/spreadsheets.js";
import { eventually } from "../../support/eventually.js";

const columns = ["text", "number"];

async function all(pieces: Pieces): Promise<number> {
  let count = 0;
  for await (const _ of pieces) count += 1;
  return count;
}

/** An endless table: a download that read ahead without bound would never stop. */
function endless() {
  const state = { made: 0, ended: false };
  async function* rows(): AsyncGenerator<CsvCell[][]> {
    try {
      for (;;) {
        state.made += 500;
        yield Array.from({ length: 500 }, (_, n): CsvCell[] => [crypto.randomUUID(), { decimal: String(n) }]);
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, table: { columns, rows: rows() } };
}

describe.each<[string, (table: ReturnType<typeof endless>["table"]) => Pieces]>([
  ["CSV", (table) => csvPieces(spreadsheets, table)],
  ["XLSX", (table) => workbookPieces(spreadsheets, "sheet", table)],
])("%s", (_, piecesOf) => {
  test("rows are made only as fast as they are read, and a cancelled download ends them", async () => {
    const { state, table } = endless();
    const pieces = piecesOf(table);
    let taken = 0;
    while (taken < 300_000) taken += Buffer.byteLength((await pieces.next()).value);
    // Wait until no more rows are made: the download then waits for the reader.
    let before = -1;
    await eventually(async () => {
      const still = state.made === before;
      before = state.made;
      await pause(100);
      return still;
    });
    expect(state.ended).toBe(false);
    await pieces.return(undefined);
    expect(state.ended).toBe(true);
    expect(state.made).toBeLessThan(500_000);
  });

  test("an error while rows are made fails the download, and is not taken for its end", async () => {
    async function* rows(): AsyncGenerator<CsvCell[][]> {
      yield [["a", { decimal: "1" }]];
      throw new Error("the database is gone");
    }
    const pieces = piecesOf({ columns, rows: rows() });
    await expect(all(pieces)).rejects.toThrow("the database is gone");
  });
});

test("a workbook has numbers of up to 15 digits as numbers, and longer ones as text", async () => {
  async function* rows(): AsyncGenerator<CsvCell[][]> {
    yield [["123456789012345", "-0.00000000000001", "1234567890123456", "-2999999999999999.1"].map((decimal) => ({ decimal }))];
  }
  const written: unknown[][] = [];
  const createTableWriter: Spreadsheets["createTableWriter"] = (output) => ({
    add: async (cells) => void written.push([...cells]),
    close: async () => void output.end(),
    abort: async () => void output.destroy(),
  });
  await all(workbookPieces({ ...spreadsheets, createTableWriter }, "sheet", { columns, rows: rows() }));
  expect(written).toEqual([[123456789012345, -0.00000000000001, "1234567890123456", "-2999999999999999.1"]]);
});

test("a workbook that is left while it is being finished leaves no promise without a handler, which would end the API", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => unhandled.push(reason);
  process.prependListener("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  // At each iteration of the event loop while exceljs finishes the file, with which it goes on afterwards.
  for (let iterations = 0; iterations < 40; iterations += 1) {
    const output = new PassThrough();
    output.on("error", () => undefined);
    const writer = spreadsheets.createTableWriter(output, { sheet: "sheet", columns });
    const closing = writer.close().catch(() => undefined);
    for (let iteration = 0; iteration < iterations; iteration += 1) await nextIteration();
    output.destroy(new Error("left"));
    await writer.abort();
    await closing;
  }
  for (let iteration = 0; iteration < 50; iteration += 1) await nextIteration();
  expect(unhandled).toEqual([]);
});

describe("the rows of a download", () => {
  const taken = async (pauseMs: number) => {
    const rows = pacedRows(endless().table.rows, () => pauseMs);
    await rows.next();
    return rows;
  };

  test("let others have their turn before the next ones are read", async () => {
    const rows = await taken(0);
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    await rows.next();
    expect(hadTurn).toBe(true);
    await rows.return(undefined);
  });

  test("pause before the next ones are read", async () => {
    const rows = await taken(8);
    let waited = false;
    setTimeout(() => (waited = true), 4);
    await rows.next();
    expect(waited).toBe(true);
    await rows.return(undefined);
  });

  test.each([1, 2, 3, 4, 7, 100])("in %i parts are the same rows, in whole lines", async (parts) => {
    const isNumber = [false, true];
    const line = (n: number) => `${"x".repeat(n % 5)}\t${n}\n`;
    let ended = false;
    async function* rows(): DownloadedTable["rows"] {
      try {
        for (const [first, count] of [
          [1, 9],
          [10, 1],
          [11, 40],
        ] as const)
          yield { lines: Buffer.from(Array.from({ length: count }, (_, n) => line(first + n)).join("")), isNumber };
        yield [["cells", { decimal: "1" }]];
      } finally {
        ended = true;
      }
    }
    const texts: string[] = [];
    let cells = 0;
    for await (const some of splitBatches(rows(), parts)) {
      if (!("lines" in some)) cells += some.length;
      else {
        const text = some.lines.toString();
        expect([text.endsWith("\n"), some.isNumber]).toEqual([true, isNumber]);
        texts.push(text);
      }
    }
    expect(texts.join("")).toBe(Array.from({ length: 50 }, (_, n) => line(n + 1)).join(""));
    expect([cells, ended]).toEqual([1, true]);
    const largest = Array.from({ length: 40 }, (_, n) => line(n + 11)).join("").length;
    expect(Math.max(...texts.map((text) => text.length))).toBeLessThan(Math.ceil(largest / parts) + line(44).length);
  });

  test.each([
    ["no other request comes", { isBusy: false, runningDownloads: 4, elapsedMs: 0 }, 0],
    ["requests come", { isBusy: true, runningDownloads: 1, elapsedMs: 0 }, 16],
    ["requests come, and other downloads run", { isBusy: true, runningDownloads: 4, elapsedMs: 449_999 }, 64],
    ["half of its time has passed", { isBusy: true, runningDownloads: 4, elapsedMs: 450_000 }, 0],
  ])("pause or not when %s", (_, given, ms) => expect(pauseAfterBatchMs(given)).toBe(ms));
});
