// The command line: one file per group of commands. Results go to stdout, everything else to stderr.
import { ConfigurationFaults } from "../config.js";
import { hideKeys } from "../domain/apiKey.js";
import { Rejection } from "../domain/rejection.js";
import { StoreUnavailable } from "../portErrors.js";
import { visible } from "./visible.js";

/** A mistake of whoever typed the command: its message, and a line for each detail, are all they need. */
export class CommandFault extends Error {
  constructor(
    message: string,
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The result for people. Each text is one line, whatever it carries: what came from outside cannot pass for a line of ours. */
export function print(lines: string | readonly string[]): void {
  process.stdout.write(asLines(lines));
}

export function printJson(value: unknown, indent = 2): void {
  process.stdout.write(`${JSON.stringify(value, null, indent)}\n`);
}

/** Whatever else there is to say. */
export function remark(lines: string | readonly string[]): void {
  process.stderr.write(hideKeys(asLines(lines)));
}

const asLines = (lines: string | readonly string[]): string =>
  [lines]
    .flat()
    .map((line) => `${visible(line)}\n`)
    .join("");

/** Runs a command to its exit code: 0, or 1 after one clear line on stderr. */
export function command<Args extends unknown[]>(work: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await work(...args);
      process.exitCode ??= 0;
    } catch (error) {
      remark(sentences(error));
      process.exitCode = 1;
    }
    await flushed(process.stdout);
    process.exit(); // a vendor's idle connection must not keep a finished command alive
  };
}

function sentences(error: unknown): string | readonly string[] {
  if (error instanceof Rejection || error instanceof CommandFault)
    return [error.message, ...(error.details ?? []).map((line) => `  ${line}`)];
  if (error instanceof ConfigurationFaults) return error.message.split("\n"); // all of it our own words
  if (error instanceof StoreUnavailable)
    return error.message.startsWith("The ") ? error.message : `The ${error.store} is not available: ${error.message}`;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `The port is in use: ${message}. Stop what is using it, or set PORT to another number.`;
  return message || String(error);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((settle) => stream.write("", () => settle()));
}

/** Columns for people; scripts ask for `--json`. */
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
