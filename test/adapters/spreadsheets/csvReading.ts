import { expect } from "vitest";
import { cellsOf, readContent } from "./reading.js";

export const rowsOf = async (content: Uint8Array | string) => {
  const read = await readContent(content, "upload.csv");
  expect(read.fault).toBe(null);
  return cellsOf(read);
};
export const faultOf = async (content: Uint8Array | string) => (await readContent(content, "upload.csv")).fault;
