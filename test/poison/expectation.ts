/** The expected outcome of a bad file: a fault with its reason, or rows of which some are faulty. */
export type Expectation = { readonly fault: RegExp } | { readonly rows: number; readonly faulty?: number };

export type Poison = {
  readonly name: string;
  /** The content, or its pieces where the whole would be too large for memory. */
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

/** `bytes` bytes of a repeated text. */
export function* repeated(text: string, bytes: number, start = ""): Iterable<Uint8Array> {
  if (start !== "") yield Buffer.from(start);
  const piece = Buffer.from(text.repeat(Math.ceil(1_000_000 / text.length)));
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(piece.length, left));
}
