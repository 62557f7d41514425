import { expect } from "vitest";
import { cellsOf, readContent, readPath } from "./reading.js";

/** A file is read alike from a disk and from memory. */
async function readTwice(content: Uint8Array | string) {
  const read = await readContent(content, "upload.csv");
  expect(await readPath(Buffer.from(content as string), "upload.csv")).toEqual(read);
  return read;
}

export const rowsOf = async (content: Uint8Array | string) => {
  const read = await readTwice(content);
  expect(read.fault).toBe(null);
  return cellsOf(read);
};
export const faultOf = async (content: Uint8Array | string) => (await readTwice(content)).fault;
