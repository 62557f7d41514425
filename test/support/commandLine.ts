// Runs the commands of a test file in one process, since loading the program takes much longer than most commands.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { type CommandResult, commandEnvironment, program } from "./processes.js";

export type Command = (args: readonly string[], environment?: Record<string, string>) => Promise<CommandResult>;

/** Like `waybill` of test/support/processes.ts, but all commands of a test file run in one process, one after the other. It ends with the file. */
export function useCommandLine(): Command {
  let child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  afterAll(async () => {
    const ending = child;
    if (!ending || ending.exitCode !== null) return;
    const exited = new Promise((settle) => ending.once("exit", settle));
    ending.kill("SIGKILL");
    await exited;
  });
  const start = () => {
    const script = fileURLToPath(new URL("./commandLineProcess.mjs", import.meta.url));
    const started = spawn(process.execPath, [script, program], { stdio: ["pipe", "pipe", "pipe"] });
    for (const stream of [started.stdout, started.stderr]) stream.setEncoding("utf8");
    return started;
  };
  const run: Command = async (args, environment = {}) => {
    child ??= start();
    const mark = randomUUID();
    const [stdout, stderr] = [upTo(child.stdout, mark), upTo(child.stderr, mark)];
    child.stdin.write(`${JSON.stringify({ args, environment: commandEnvironment(environment), mark })}\n`);
    const [[written, code], [remarks]] = await Promise.all([stdout, stderr]);
    return { code: Number(code), stdout: written, stderr: remarks };
  };
  return (args, environment) => {
    const result = last.then(() => run(args, environment));
    last = result.catch(() => undefined);
    return result;
  };
}

/** Resolves with the text before the mark and the rest of the mark's line. */
function upTo(stream: Readable, mark: string): Promise<[text: string, rest: string]> {
  let text = "";
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error(`the process of the commands has ended: ${text}`));
    const take = (chunk: string) => {
      text += chunk;
      const at = text.indexOf(mark);
      if (at < 0 || !text.endsWith("\n")) return;
      stream.off("data", take).off("end", ended);
      resolve([text.slice(0, at), text.slice(at + mark.length).trim()]);
    };
    stream.on("data", take).once("end", ended);
  });
}
