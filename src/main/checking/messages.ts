// What a process that checks a file and the API's process say to each other.
import type { CheckedFile, FileToCheck } from "../../commands/imports/judging/fileChecks.js";

/** The first message is the task; each later one says that the ids sent last are dealt with. */
export type ToCheck = { readonly check: FileToCheck; readonly localities: Readonly<Record<string, string>> } | { readonly goOn: true };

export type FromCheck =
  | { readonly progress: number }
  | { readonly shipments: readonly string[] }
  | { readonly checked: CheckedFile }
  /** What is wrong with the file. */
  | { readonly fault: string }
  /** What is wrong with us. */
  | { readonly failure: string };
