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

const moving = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text from outside as one line of a terminal: line breaks, control characters and direction marks are written as escapes. */
export function visible(text: string): string {
  return text.replaceAll(moving, (character) => short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Prints the result. Each text stays one line, so that data from outside cannot look like another line of the result. */
export function print(lines: string | readonly string[]): void {
  process.stdout.write(asLines(lines));
}

export function printJson(value: unknown, indent = 2): void {
  process.stdout.write(`${JSON.stringify(value, null, indent)}\n`);
}

/** Prints a line to stderr. */
export function remark(lines: string | readonly string[]): void {
  process.stderr.write(hideKeys(asLines(lines)));
}

const asLines = (lines: string | readonly string[]): string =>
  [lines]
    .flat()
    .map((line) => `${visible(line)}\n`)
    .join("");

/** Runs a command. The exit code is 0, or 1 after one clear line on stderr. */
export function command<Args extends unknown[]>(work: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await work(...args);
      process.exitCode ??= 0;
    } catch (error) {
      remark(errorLines(error));
      process.exitCode = 1;
    }
    await flushed(process.stdout);
    process.exit(); // an idle connection of a vendor's client must not keep the process alive
  };
}

function errorLines(error: unknown): string | readonly string[] {
  if (error instanceof Rejection || error instanceof CommandFault)
    return [error.message, ...(error.details ?? []).map((line) => `  ${line}`)];
  if (error instanceof ConfigurationFaults) return error.message.split("\n"); // every line of it is written by src/config.ts
  if (error instanceof StoreUnavailable)
    return error.message.startsWith("The ") ? error.message : `The ${error.store} is not available: ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `The port is in use: ${message}. Stop what is using it, or set PORT to another number.`;
  return message || String(error);
}

const flushed = (stream: NodeJS.WriteStream): Promise<void> => new Promise((settle) => stream.write("", () => settle()));

/** A closed pipe, such as that of `| head`, is no error. A result that is lost in another way, such as on a full disk, is one. */
export function watchOutput(): void {
  process.stdout.once("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    const lost = `The output could not be written: ${systemReason(error)}`;
    remark(`${lost}. What was asked for may be done all the same: look before you repeat it.`);
  });
  // Further writes fail as well, and a lost line on stderr cannot be reported anywhere.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}

type CellValue = string | number | Date | null | undefined;

/** Prints what was found: as JSON for scripts, otherwise in columns. A value that is not there is a dash. */
export function printList<Row>(
  rows: readonly Row[],
  json: boolean | undefined,
  header: readonly string[],
  cellsOf: (row: Row) => readonly CellValue[],
): void {
  const text = (cell: CellValue) => (cell instanceof Date ? cell.toISOString() : String(cell ?? "-"));
  const cells = rows.map((row) => cellsOf(row).map(text));
  if (json) printJson(rows);
  else print(table(header, cells));
}

/** The number of `--limit`. */
export function limitOf(text: string, most: number): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > most)
    throw new CommandFault(`--limit must be a whole number from 1 to ${most}`);
  return Number(text);
}

/** Adds commands to a group that all take an organisation. */
export const organisationCommands =
  (group: Command) =>
  (name: string, description: string): Command =>
    group.command(name).description(description).requiredOption("--org <id>", "the organisation");

/** Text in columns. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const shown = [header, ...rows].map((row) => row.map(visible));
  const widths = header.map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  return shown.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
