import type { FileFormat, FileHeader, FileSource, ReadOptions, RowBatch } from "../../ports/spreadsheets.js";
import { FileFault, isBlank } from "./cell.js";
import { sniffStart } from "./csv/encoding.js";
import { openSource, readCsvHeader, readCsvRows } from "./csv/readCsv.js";
import { MAX_HEADER_INFLATED_BYTES } from "./limits.js";
import { readXlsxHeader, readXlsxRows } from "./xlsx/readXlsx.js";

/** How many bytes of a file's start `detectFormat` needs. */
const DETECT_BYTES = 64 * 1024;

const RESAVE_ADVICE = "Re-save it as .csv or .xlsx.";
const OLE_START = [0xd0, 0xcf, 0x11, 0xe0];
const ZIP_START = [0x50, 0x4b, 0x03, 0x04];
const OTHER_FORMATS: readonly (readonly [number[], string])[] = [
  [[0x25, 0x50, 0x44, 0x46], "a PDF document"],
  [[0x89, 0x50, 0x4e, 0x47], "a PNG image"],
  [[0xff, 0xd8, 0xff], "a JPEG image"],
  [[0x47, 0x49, 0x46, 0x38], "a GIF image"],
  [[0x42, 0x4d], "a bitmap image"],
  [[0x49, 0x49, 0x2a, 0x00], "a TIFF image"],
  [[0x1f, 0x8b], "a gzip archive"],
  [[0x42, 0x5a, 0x68], "a bzip2 archive"],
  [[0xfd, 0x37, 0x7a, 0x58], "an xz archive"],
  [[0x37, 0x7a, 0xbc, 0xaf], "a 7-Zip archive"],
  [[0x52, 0x61, 0x72, 0x21], "a RAR archive"],
  [[0x28, 0xb5, 0x2f, 0xfd], "a Zstandard archive"],
  [[0x7f, 0x45, 0x4c, 0x46], "a program"],
  [[0x4d, 0x5a, 0x90], "a program"],
  [[0x50, 0x4b, 0x05, 0x06], "an empty zip archive"],
  [[0x50, 0x4b, 0x07, 0x08], "one part of a split zip archive"],
  [[0x7b, 0x5c, 0x72, 0x74, 0x66], "a rich text document"],
];

/** Detects the format by content. Throws a `FileFault` for another format. `fileName` changes only the message for an old Office file. */
function detectFormat(firstBytes: Buffer, fileName: string): FileFormat {
  if (firstBytes.length === 0) throw new FileFault("The file is empty.");
  const startsWith = (magic: readonly number[]) => magic.every((byte, index) => firstBytes[index] === byte);
  if (startsWith(ZIP_START)) {
    if (!firstBytes.subarray(0, 200).includes("application/vnd.oasis.opendocument")) return "xlsx";
    throw new FileFault(`The file is an OpenDocument file (.ods), which is not supported. ${RESAVE_ADVICE}`);
  }
  if (startsWith(OLE_START)) throw new FileFault(oleMessage(firstBytes, fileName));
  for (const [magic, what] of OTHER_FORMATS) {
    // Two bytes are too few to tell an image from a column name.
    if (startsWith(magic) && (magic.length > 2 || firstBytes.subarray(0, 4096).includes(0)))
      throw new FileFault(`The file is ${what}, not a spreadsheet. Upload a .csv or .xlsx file.`);
  }
  return textFormat(firstBytes);
}

function oleMessage(firstBytes: Buffer, fileName: string): string {
  const holds = (part: string): boolean => firstBytes.includes(Buffer.from(part, "utf16le"));
  if (holds("EncryptedPackage"))
    return "The workbook is protected with a password. Remove the password, save it as .xlsx and upload it again.";
  const isWorkbook = holds("Workbook") || holds("Book"); // an .xls workbook, whatever the file's name is
  if (!isWorkbook && /\.xls[xm]$/i.test(fileName))
    return "The workbook is protected with a password, or in the .xls format. Save it as .xlsx without a password and upload it again.";
  if (/\.(doc|ppt|msg)$/i.test(fileName)) return "The file is an Office document, not a spreadsheet. Upload a .csv or .xlsx file.";
  return `The .xls format is not supported. ${RESAVE_ADVICE}`;
}

function textFormat(firstBytes: Buffer): FileFormat {
  const { encoding, skip } = sniffStart(firstBytes);
  const bytes = firstBytes.subarray(skip, 4096);
  if (bytes.length === 0) throw new FileFault("The file is empty.");
  if (encoding !== "utf-8") return "csv";
  // A NUL in a later line rejects only its row, not the file.
  const firstLine = bytes.subarray(0, bytes.indexOf(10) === -1 ? bytes.length : bytes.indexOf(10));
  if (firstLine.includes(0)) throw new FileFault("The file is not a text file. Upload a .csv or .xlsx file.");
  const start = bytes.toString("latin1").trimStart().slice(0, 300).toLowerCase();
  if (start.startsWith("<")) {
    const what = start.includes("<html") || start.includes("<table") || start.includes("<!doctype html") ? "a web page" : "an XML document";
    throw new FileFault(`The file is ${what}, not a spreadsheet. Open it in a spreadsheet program and re-save it as .csv or .xlsx.`);
  }
  if (start.startsWith("{") || start.startsWith("["))
    throw new FileFault("The file looks like JSON. Upload a .csv or .xlsx file, or push the data as JSON.");
  return "csv";
}

/** Reads the header without the rows below it. Throws a `FileFault` when there is none. */
export async function readHeader(source: FileSource, fileName: string, signal?: AbortSignal): Promise<FileHeader> {
  const format = await formatOf(source, fileName);
  return format === "csv" || typeof source !== "string" ? readCsvHeader(source, signal) : readXlsxHeader(source, signal);
}

/** Yields the rows below the header in batches. Throws a `FileFault` when the file turns out to be unusable. */
export async function* readFileRows(source: FileSource, options: ReadOptions = {}): AsyncGenerator<RowBatch> {
  const format = options.format ?? (await formatOf(source, ""));
  yield* format === "csv" || typeof source !== "string" ? readCsvRows(source, options) : readXlsxRows(source, options);
}

async function formatOf(source: FileSource, fileName: string): Promise<FileFormat> {
  const file = await openSource(source);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(DETECT_BYTES), 0, DETECT_BYTES, 0);
    return detectFormat(buffer.subarray(0, bytesRead), fileName);
  } finally {
    await file.close();
  }
}

const MAX_VALUE_ROWS = 1_000;
/** How many distinct values of a column are returned, and how many characters of each. */
const MAX_VALUES = 20;
const MAX_VALUE_CHARS = 60;

/** The first distinct values of each column in the file's first rows, so that people see what the columns contain. */
export async function readValues(path: string): Promise<string[][]> {
  const values: Set<string>[] = [];
  let rows = 0;
  for await (const batch of readFileRows(path, { maxUnpackedBytes: MAX_HEADER_INFLATED_BYTES })) {
    for (const { cells } of batch.rows) {
      if (++rows > MAX_VALUE_ROWS) break;
      cells.forEach((cell, index) => {
        values[index] ??= new Set();
        const columnValues = values[index];
        if (columnValues.size < MAX_VALUES && !isBlank(cell)) columnValues.add(shownValue(typeof cell === "string" ? cell : cell.text));
      });
    }
    if (rows >= MAX_VALUE_ROWS) break;
  }
  return values.map((columnValues) => [...columnValues]);
}

/** The value as it is shown: cut between whole characters, and with characters that Postgres can store. */
function shownValue(text: string): string {
  const plain = text.trim().replaceAll("\0", "\u{FFFD}").toWellFormed();
  if (plain.length <= MAX_VALUE_CHARS) return plain;
  const characters = [...plain.slice(0, 2 * MAX_VALUE_CHARS + 2)];
  return characters.length <= MAX_VALUE_CHARS ? plain : `${characters.slice(0, MAX_VALUE_CHARS).join("")}...`;
}
