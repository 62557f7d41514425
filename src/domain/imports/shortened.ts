/** Stands at the end of a text that was cut off, so that it is not taken for the whole. */
export const cutMark = "... [cut short]";

const encoder = new TextEncoder();

/** Cuts a text to at most `bytes` bytes of UTF-8, including the mark. No character is cut in two. */
export function shortened(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  const room = Math.max(0, bytes - cutMark.length);
  const { read } = encoder.encodeInto(text, new Uint8Array(room));
  return text.slice(0, read) + cutMark;
}
