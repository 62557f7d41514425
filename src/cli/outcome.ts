// The command line: one file per group of commands. Results go to stdout, everything else to stderr.
import { ConfigurationFaults } from "../config.js";
import { hideKeys } from "../domain/apiKey.js";
import { Rejection } from "../domain/rejection.js";
import { StoreUnavailable } from "../portErrors.js";

/** A mistake of whoever typed the command: its message is all they need. */
export class CommandFault extends Error {}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs a command to its exit code: 0, or 1 after one clear line on stderr. */
export function command<Args extends unknown[]>(work: (...args: Args) => Promise<void>): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await work(...args);
      process.exitCode ??= 0;
    } catch (error) {
      process.stderr.write(`${hideKeys(sentence(error))}\n`);
      process.exitCode = 1;
    }
    await flushed(process.stdout);
    process.exit(); // a vendor's idle connection must not keep a finished command alive
  };
}

function sentence(error: unknown): string {
  if (error instanceof Rejection)
    return error.details?.length ? `${error.message}\n${error.details.map((line) => `  ${line}`).join("\n")}` : error.message;
  if (error instanceof CommandFault || error instanceof ConfigurationFaults || error instanceof StoreUnavailable) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return `The port is in use: ${message}. Stop what is using it, or set PORT to another number.`;
  return message || String(error);
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((settle) => stream.write("", () => settle()));
}

/** Columns for people; scripts ask for `--json`. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [header, ...rows]
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
