import { once } from "node:events";
import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import type ExcelJS from "exceljs";
import type { CellValue, Style } from "exceljs";
import { storedCellText } from "./cellText.js";

/** Members of exceljs 4.4.0 that its types do not declare. They show when to wait, since its writer takes any number of rows at once. */
type Sheet = ExcelJS.Worksheet & { readonly stream: { readonly pipes: readonly Pipe[] } };
type Pipe = NodeJS.WritableStream & { readonly _writableState: { readonly needDrain: boolean } };
type Book = ExcelJS.stream.xlsx.WorkbookWriter & {
  readonly zip: NodeJS.EventEmitter & { abort(): void; finalize(): Promise<void> };
  subject: string;
  readonly styles: { readonly model: { readonly styles: string[] } };
};

/** The text format (`@`): a value that is typed over such a cell does not become a formula, a date or a number without its zeros. */
const TEXT: Partial<Style> = { numFmt: "@" };
/** The protection changes nothing in an unprotected sheet; by it `markFormulaLike` finds the style again. */
const FORMULA_LIKE: Partial<Style> = { numFmt: "@", protection: { locked: true } };
export const STYLES = {
  text: TEXT,
  heading: { numFmt: "@", font: { bold: true } },
  formulaLike: FORMULA_LIKE,
} as const satisfies Readonly<Record<string, Partial<Style>>>;

export type ExceljsWriter = {
  readonly sheet: ExcelJS.Worksheet;
  /** Resolves when the output can take more. */
  drained(): Promise<void>;
  finish(): Promise<void>;
  abort(): Promise<void>;
};

/** exceljs keeps blanks at the start and end only in rich text. */
export function cellValue(text: string): CellValue {
  const kept = storedCellText(text);
  return /^\s|\n|\s$/.test(kept) ? { richText: [{ text: kept }] } : kept;
}

/** Writes one sheet with exceljs's streaming writer, with back-pressure. Fails when the output fails. */
export async function createExceljsWriter(
  output: Writable,
  { sheetName, subject }: { sheetName: string; subject: string },
): Promise<ExceljsWriter> {
  // Loaded only here: it takes 15 MB, which processes that only read files do not need. All of exceljs takes 27 MB and twice as long to load.
  const { default: Writer } = await import("exceljs/lib/stream/xlsx/workbook-writer.js");
  const failure = new AbortController();
  const fail = (error: Error) => failure.abort(error);
  output.on("error", fail);
  const book = new Writer({
    stream: output,
    useSharedStrings: false,
    useStyles: true,
    zip: { zlib: { level: 3 } },
  });
  (book as Book).subject = subject;
  const { zip } = book as Book;
  zip.on("error", fail);
  // exceljs drops this promise. Its failure, which is also reported as the event above, would end the process.
  const finalize = zip.finalize.bind(zip);
  zip.finalize = () => finalize().catch(() => undefined);
  const sheet = book.addWorksheet(sheetName, { views: [{ state: "frozen", ySplit: 1 }] }) as Sheet;
  let draining: Promise<void> | null = null;
  return {
    sheet,
    drained() {
      draining ??= drain(sheet, failure.signal).finally(() => {
        draining = null;
      });
      return draining;
    },
    async finish() {
      markFormulaLike(book as Book);
      const failed = failure.signal.aborted
        ? Promise.reject(failure.signal.reason)
        : once(failure.signal, "abort").then(() => Promise.reject(failure.signal.reason));
      await Promise.race([book.commit(), failed]);
      await closed(output);
    },
    async abort() {
      zip.abort();
      output.destroy();
      await closed(output);
    },
  };
}

async function drain(sheet: Sheet, failed: AbortSignal): Promise<void> {
  failed.throwIfAborted();
  // exceljs connects a new sheet to the archive a few turns of the event loop later.
  while (sheet.stream.pipes.length === 0) {
    await setImmediate();
    failed.throwIfAborted();
  }
  for (const pipe of sheet.stream.pipes) {
    if (!pipe._writableState.needDrain) continue;
    await once(pipe, "drain", { signal: failed }).catch((error: unknown) => {
      failed.throwIfAborted();
      throw error;
    });
  }
}

async function closed(output: Writable): Promise<void> {
  if (!output.closed) await once(output, "close").catch(() => {}); // a failed write was reported to the call that waited for it
}

/** Sets the mark that a spreadsheet program sets for a text typed with a leading apostrophe; exceljs has no option for it. */
function markFormulaLike({ styles }: Book): void {
  const list = styles.model.styles;
  for (const [index, xml] of list.entries()) list[index] = xml.replace(' applyProtection="1"', ' quotePrefix="1" applyProtection="1"');
}
