import { readHeader, readRows } from "../../src/adapters/spreadsheets/rows.js";

/** What a bad file is to come to: a fault that says why, or rows of which some are faulty. */
export type Expectation = { readonly fault: RegExp } | { readonly rows: number; readonly faulty?: number };

export type Poison = {
  readonly name: string;
  /** The content, or pieces of it where it is too large to be built in memory. */
  readonly content: () => Uint8Array | string | Iterable<Uint8Array>;
  readonly fileName?: string;
  readonly expect: Expectation;
};

export const poison = (name: string, content: Poison["content"], expect: Expectation, fileName?: string): Poison => ({
  name,
  content,
  expect,
  ...(fileName === undefined ? {} : { fileName }),
});

/** The outcome in the expectation's own terms, without keeping the rows. */
export async function outcomeOf(path: string, fileName: string): Promise<{ fault: string } | { rows: number; faulty: number }> {
  let rows = 0;
  let faulty = 0;
  try {
    const { format } = await readHeader(path, fileName);
    for await (const batch of readRows(path, { format })) {
      rows += batch.rows.length;
      for (const { cells, fault } of batch.rows) if (fault !== null || cells.some((cell) => typeof cell !== "string")) faulty += 1;
    }
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "FileFault") throw error;
    return { fault: error.message };
  }
  return { rows, faulty };
}

/** `bytes` bytes of a repeated text. */
export function* repeated(text: string, bytes: number, start = ""): Iterable<Uint8Array> {
  if (start !== "") yield Buffer.from(start);
  const piece = Buffer.from(text.repeat(Math.ceil(1_000_000 / text.length)));
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(piece.length, left));
}
