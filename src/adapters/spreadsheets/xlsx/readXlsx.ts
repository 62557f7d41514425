import type { FileHeader, ReadOptions, RowBatch } from "../../../ports.js";
import { FileFault } from "../fileFault.js";

export async function readXlsxHeader(_path: string, _signal?: AbortSignal): Promise<FileHeader> {
  throw new FileFault("Workbooks cannot be read yet. Re-save the file as .csv.");
}

// biome-ignore lint/correctness/useYield: a placeholder
export async function* readXlsxRows(_path: string, _options: ReadOptions): AsyncGenerator<RowBatch> {
  throw new FileFault("Workbooks cannot be read yet. Re-save the file as .csv.");
}
