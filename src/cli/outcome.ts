// src/cli is the command line, with one file per group of commands. Results go to stdout, everything else to stderr.
import type { Command } from "commander";
import { ConfigurationFaults } from "../config.js";
import { hideKeys } from "../domain/apiKey.js";
import { Rejection } from "../domain/rejection.js";
import { StoreUnavailable, systemReason } from "../portErrors.js";

/** A mistake in the command: its message and one line per detail are printed, without a stack. */
export class CommandFault extends Error {
  constructor(
    message: string,
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}

const unsafeText = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const escapes: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Makes text from outside safe to print as one line: replaces line breaks, control characters and direction marks by escapes. */
export function escapeControls(text: string): string {
  return text.replaceAll(unsafeText, (character) => escapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Prints the result. Escapes line breaks within a text, so that data from outside cannot look like another line of the result. */
export function print(lines: string | readonly string[]): void {
  process.stdout.write(asLines(lines));
}

export function printJson(value: unknown, indent = 2): void {
  process.stdout.write(`${JSON.stringify(value, null, indent)}\n`);
}

/** Prints lines to stderr, with API keys hidden. */
export function printToStderr(lines: string | readonly string[]): void {
  process.stderr.write(hideKeys(asLines(lines)));
}

const asLines = (lines: string | readonly string[]): string =>
  [lines]
    .flat()
    .map((line) => `${escapeControls(line)}\n`)
    .join("");

/** A command's action: does `work` and ends the process. If `work` fails, prints why to stderr and exits with 1. */
export function command<Args extends unknown[]>(work: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await work(...args);
      process.exitCode ??= 0; // `work` may have set 1
    } catch (error) {
      printToStderr(errorLines(error));
      process.exitCode = 1;
    }
    await waitForFlush(process.stdout);
    process.exit(); // an idle connection of a vendor's client must not keep the process alive
  };
}

function errorLines(error: unknown): string | readonly string[] {
  if (error instanceof Rejection || error instanceof CommandFault)
    return [error.message, ...(error.details ?? []).map((line) => `  ${line}`)];
  if (error instanceof ConfigurationFaults) return error.message.split("\n"); // every line break in it is from src/config.ts
  if (error instanceof StoreUnavailable)
    return error.message.startsWith("The ") ? error.message : `The ${error.store} is not available: ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `The port is in use: ${message}. Stop what is using it, or set PORT to another number.`;
  return message || String(error);
}

const waitForFlush = (stream: NodeJS.WriteStream): Promise<void> => new Promise((settle) => stream.write("", () => settle()));

/** Reports on stderr that the result could not be written, for example to a full disk. A closed pipe, as by `| head`, is no error. */
export function watchOutput(): void {
  process.stdout.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    const message = `The output could not be written: ${systemReason(error)}`;
    printToStderr(`${message}. The command may have taken effect all the same: check before you repeat it.`);
  });
  // Later writes fail as well, and nothing can report a failed write to stderr.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}

type CellValue = string | number | Date | null | undefined;

/** Prints rows as JSON for scripts, otherwise in columns. A missing value is shown as a dash. */
export function printList<Row>(
  rows: readonly Row[],
  json: boolean | undefined,
  header: readonly string[],
  cellsOf: (row: Row) => readonly CellValue[],
): void {
  const textOf = (cell: CellValue) => (cell instanceof Date ? cell.toISOString() : String(cell ?? "-"));
  const cells = rows.map((row) => cellsOf(row).map(textOf));
  if (json) printJson(rows);
  else print(tableLines(header, cells));
}

export function parseLimit(text: string, max: number): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > max)
    throw new CommandFault(`--limit must be a whole number from 1 to ${max}`);
  return Number(text);
}

/** Returns a function that adds a command with a required `--org` to the group. */
export const organisationCommands =
  (group: Command) =>
  (name: string, description: string): Command =>
    group.command(name).description(description).requiredOption("--org <id>", "the organisation");

/** Aligns the cells in columns. The first line is the header. */
export function tableLines(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const escaped = [header, ...rows].map((row) => row.map(escapeControls));
  const widths = header.map((_, column) => Math.max(...escaped.map((row) => row[column]?.length ?? 0)));
  return escaped.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
