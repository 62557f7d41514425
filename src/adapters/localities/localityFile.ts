import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { type CountryRow, readerFor } from "./fileFormats.js";

/** The file cannot be loaded; the message names the line and the reason. */
export class LocalityFileError extends Error {
  override readonly name = "LocalityFileError";
}

const localityFileLimits = { bytes: 1_073_741_824, lineBytes: 16_384, rows: 10_000_000 };

/** Reads a GeoNames postal file, or a CSV with a header, in batches and with bounded memory. Returns how many lines had no usable place. */
export async function readLocalityFile(
  path: string,
  onRows: (rows: readonly CountryRow[]) => void | Promise<void>,
): Promise<{ rows: number; skipped: number }> {
  const { size } = await stat(path);
  if (size > localityFileLimits.bytes)
    throw new LocalityFileError(`the file has ${size} bytes; at most ${localityFileLimits.bytes} can be loaded, so split it`);
  let read: ReturnType<typeof readerFor>["read"] | undefined;
  let [number, rows, skipped] = [0, 0, 0];
  for await (const lines of linesOf(path)) {
    const batch: CountryRow[] = [];
    for (const line of lines) {
      number += 1;
      if (line.trim() === "") continue;
      const row = located(number, () => {
        if (read) return read(line);
        const reader = readerFor(line);
        read = reader.read;
        return reader.header ? "header" : reader.read(line);
      });
      if (row === "header") continue;
      if (row) batch.push(row);
      else skipped += 1;
    }
    rows += batch.length;
    if (rows > localityFileLimits.rows) throw new LocalityFileError(`the file has more than ${localityFileLimits.rows} places; split it`);
    if (batch.length > 0) await onRows(batch);
  }
  if (rows === 0) throw new LocalityFileError("the file holds no places");
  return { rows, skipped };
}

function located<T>(line: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new LocalityFileError(`line ${line}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function* linesOf(path: string): AsyncGenerator<string[]> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [rest, ended] = ["", 0];
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new LocalityFileError(`the file is not UTF-8 (after line ${ended}); save it as UTF-8`);
    }
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 262_144 }) as AsyncIterable<Uint8Array>) {
    const lines = (rest + decode(chunk)).split("\n");
    rest = lines.pop() ?? "";
    const longest = lines.reduce((most, line) => Math.max(most, line.length), rest.length);
    if (longest > localityFileLimits.lineBytes)
      throw new LocalityFileError(`a line after line ${ended} is longer than ${localityFileLimits.lineBytes} characters`);
    ended += lines.length;
    yield lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  }
  rest += decode();
  if (rest !== "") yield [rest.endsWith("\r") ? rest.slice(0, -1) : rest];
}
