// Runs in a thread of its own and reads one header row, or some values of each column, for each message.
import { parentPort } from "node:worker_threads";
import type { FileHeader } from "../../../ports/spreadsheets.js";
import { FileFault } from "../cell.js";
import { readHeader, readValues } from "../uploadedFile.js";

export interface HeaderRequest {
  readonly path: string;
  readonly name: string;
  readonly what: "header" | "values";
}

export type HeaderReply = { readonly answer: FileHeader | string[][] } | { readonly fault: string } | { readonly failure: unknown };

parentPort?.on("message", (request: HeaderRequest) => {
  void read(request).then((reply) => parentPort?.postMessage(reply));
});

async function read({ path, name, what }: HeaderRequest): Promise<HeaderReply> {
  try {
    return { answer: what === "header" ? await readHeader(path, name) : await readValues(path) };
  } catch (error) {
    return error instanceof FileFault ? { fault: error.message } : { failure: error };
  }
}
