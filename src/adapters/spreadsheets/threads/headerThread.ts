// Runs in a thread of its own and reads one header row for each message.
import { parentPort } from "node:worker_threads";
import type { FileHeader } from "../../../ports/spreadsheets.js";
import { FileFault } from "../cell.js";
import { readHeader } from "../rows.js";

export interface HeaderRequest {
  readonly path: string;
  readonly name: string;
}

export type HeaderReply = { readonly header: FileHeader } | { readonly fault: string } | { readonly failure: unknown };

parentPort?.on("message", ({ path, name }: HeaderRequest) => {
  void read(path, name).then((reply) => parentPort?.postMessage(reply));
});

async function read(path: string, name: string): Promise<HeaderReply> {
  try {
    return { header: await readHeader(path, name) };
  } catch (error) {
    return error instanceof FileFault ? { fault: error.message } : { failure: error };
  }
}
