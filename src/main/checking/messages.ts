// The messages between the API's process and a process that checks a file.
import type { CheckedFile, FileToCheck } from "../../commands/imports/judging/fileChecks.js";

/** The first message is the task. Each later one says that the API has handled the shipment ids that were sent last. */
export type ToCheck = { readonly check: FileToCheck; readonly localities: Readonly<Record<string, string>> } | { readonly goOn: true };

export type FromCheck =
  | { readonly progress: number }
  | { readonly shipments: readonly string[] }
  | { readonly checked: CheckedFile }
  /** What is wrong with the file. */
  | { readonly fault: string }
  /** A fault of the service, not of the file. */
  | { readonly failure: string };
