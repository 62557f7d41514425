// src/adapters/localities reads localities: those that come with the service, and files that operators load, which this file parses. Every
// source yields the same kind of row, and the first row of a postcode is its primary suburb.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import Papa from "papaparse";
import type { LocalityRow } from "../../ports/localities.js";

export interface CountryRow {
  readonly countryCode: string;
  readonly row: LocalityRow;
}

/** Converts one line of a file; undefined for a line without a usable postcode or place. Throws when the line cannot be read. */
export type ReadLine = (line: string) => CountryRow | undefined;

/** The accepted headings of each column, in lower case, with only their letters and digits. */
const headings = {
  country: ["countrycode", "country"],
  postalCode: ["postalcode", "postcode", "zip", "zipcode"],
  suburb: ["suburb", "suburbname", "placename", "locality", "place", "town"],
  city: ["city", "cityname"],
  state: ["state", "statecode", "admincode1", "region", "province"],
  stateName: ["statename", "adminname1", "regionname", "provincename"],
  poBox: ["pobox"],
} as const satisfies Record<string, readonly string[]>;

type Cells = Record<keyof typeof headings, string>;

/** A first line of nine or more tab-separated columns that starts with a country code is GeoNames data. Any other is a CSV header. */
function readerFor(firstLine: string): { read: ReadLine; hasHeader: boolean } {
  const tabColumns = firstLine.split("\t");
  if (tabColumns.length >= 9 && /^[A-Z]{2}$/.test(tabColumns[0] ?? "")) return { read: readGeoNames, hasHeader: false };
  return { read: csvReader(firstLine), hasHeader: true };
}

/** The columns: country, postcode, place, name and code of three admin levels, latitude, longitude, accuracy. */
function readGeoNames(line: string): CountryRow | undefined {
  const [country = "", postalCode = "", place = "", stateName = "", stateCode = ""] = line.split("\t");
  return toRow({ country, postalCode, suburb: place, city: "", state: stateCode, stateName, poBox: "" });
}

function csvReader(header: string): ReadLine {
  const delimiter = ["\t", ";", ","].find((candidate) => header.includes(candidate)) ?? ",";
  const columns = splitLine(header, delimiter).map((column) => column.toLowerCase().replace(/[^a-z0-9]/g, ""));
  const indexes = Object.fromEntries(
    Object.entries(headings).map(([field, names]) => [field, columns.findIndex((column) => (names as readonly string[]).includes(column))]),
  ) as Record<keyof Cells, number>;
  if (indexes.suburb === -1) indexes.suburb = indexes.city;
  const required = { countryCode: indexes.country, postalCode: indexes.postalCode, suburb: indexes.suburb };
  const missing = Object.entries(required).flatMap(([name, index]) => (index === -1 ? [name] : []));
  if (missing.length > 0) {
    throw new Error(
      `the first line is neither GeoNames data nor a header with the columns countryCode, postalCode and suburb (missing: ${missing.join(", ")})`,
    );
  }
  return (line) => {
    const cells = splitLine(line, delimiter);
    return toRow(Object.fromEntries(Object.entries(indexes).map(([field, index]) => [field, cells[index] ?? ""])) as Cells);
  };
}

function splitLine(line: string, delimiter: string): string[] {
  if (!line.includes('"')) return line.split(delimiter);
  const { data, errors } = Papa.parse<string[]>(line, { delimiter, newline: "\n" });
  if (errors.length > 0) throw new Error(`quotes do not match (${errors[0]?.code ?? "unreadable"})`);
  return data[0] ?? [];
}

function toRow(cells: Cells): CountryRow | undefined {
  const text = (key: keyof Cells): string => cells[key].replace(/\s+/g, " ").trim();
  const countryCode = text("country").toUpperCase();
  if (!/^[A-Z]{2}$/.test(countryCode)) throw new Error(`${JSON.stringify(countryCode.slice(0, 20))} is not a two-letter country code`);
  const [postalCode, suburb] = [text("postalCode").toUpperCase(), text("suburb")];
  const length = postalCode.replace(/[^A-Z0-9]/g, "").length;
  if (suburb === "" || suburb.length > 200 || length === 0 || length > 10) return undefined;
  const stateName = (text("stateName") || text("state")).slice(0, 100);
  const state = (text("state") || stateName).slice(0, 100);
  const poBox = /^(?:1|true|yes|y)$/i.test(text("poBox"));
  return { countryCode, row: { postalCode, suburb, city: text("city").slice(0, 200) || suburb, state, stateName, poBox } };
}

/** The file cannot be loaded; the message names the line and the reason. */
export class LocalityFileError extends Error {
  override readonly name = "LocalityFileError";
}

const localityFileLimits = { bytes: 1_073_741_824, lineCharacters: 16_384, rows: 10_000_000 };

/** Reads a GeoNames postal file or a CSV with a header, in bounded memory. `skipped` counts lines without a usable postcode or place. */
export async function readLocalityFile(path: string, onRows: (rows: readonly CountryRow[]) => void | Promise<void>) {
  const { size } = await stat(path);
  if (size > localityFileLimits.bytes)
    throw new LocalityFileError(`the file has ${size} bytes; at most ${localityFileLimits.bytes} can be loaded, so split it`);
  let reader: ReturnType<typeof readerFor> | undefined;
  let [lineNumber, rows, skipped] = [0, 0, 0];
  for await (const lines of linesOf(path)) {
    const batch: CountryRow[] = [];
    for (const line of lines) {
      lineNumber += 1;
      if (line.trim() === "") continue;
      try {
        const isFirst = reader === undefined;
        reader ??= readerFor(line);
        if (isFirst && reader.hasHeader) continue;
        const row = reader.read(line);
        if (row) batch.push(row);
        else skipped += 1;
      } catch (error) {
        throw new LocalityFileError(`line ${lineNumber}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    rows += batch.length;
    if (rows > localityFileLimits.rows) throw new LocalityFileError(`the file has more than ${localityFileLimits.rows} places; split it`);
    if (batch.length > 0) await onRows(batch);
  }
  if (rows === 0) throw new LocalityFileError("the file holds no places");
  return { rows, skipped };
}

async function* linesOf(path: string): AsyncGenerator<string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [rest, completeLines] = ["", 0];
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new LocalityFileError(`the file is not UTF-8 (after line ${completeLines}); save it as UTF-8`);
    }
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 262_144 }) as AsyncIterable<Uint8Array>) {
    const lines = (rest + decode(chunk)).split("\n");
    rest = lines.pop() ?? "";
    const longest = lines.reduce((most, line) => Math.max(most, line.length), rest.length);
    if (longest > localityFileLimits.lineCharacters)
      throw new LocalityFileError(`a line after line ${completeLines} is longer than ${localityFileLimits.lineCharacters} characters`);
    completeLines += lines.length;
    yield lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  }
  rest += decode();
  if (rest !== "") yield [rest.endsWith("\r") ? rest.slice(0, -1) : rest];
}
