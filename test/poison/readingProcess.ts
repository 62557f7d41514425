import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

export type Outcome = { readonly fault: string } | { readonly rows: number; readonly faulty: number };

interface Read {
  readonly outcome: Outcome;
  readonly grownBytes: number;
}

/** The largest heap: V8 collects garbage before it is exceeded, and ends the process if that is not enough. */
const heapMegabytes = 128;
const program = fileURLToPath(new URL("./reader.mjs", import.meta.url));

/** Reads one file after another in a child process. If a file kills the process, the next file gets a new one. */
export function createReader() {
  let child: ChildProcess | undefined;
  const start = () => {
    const started = fork(program, [], { execArgv: [`--max-old-space-size=${heapMegabytes}`], stdio: ["ignore", "ignore", "pipe", "ipc"] });
    started.once("exit", () => {
      if (child === started) child = undefined;
    });
    child = started;
    return started;
  };
  return {
    /** Rejects for every error but a FileFault, which is an outcome. */
    read: (path: string, fileName: string): Promise<Read> => {
      const reader = child ?? start();
      return new Promise((resolve, reject) => {
        let said = "";
        const hear = (text: Buffer) => {
          said = (said + text).slice(-2_000);
        };
        const died = () => reject(new Error(`the process died of it: ${said}`));
        reader.stderr?.on("data", hear);
        reader.once("exit", died);
        reader.once("message", (message: Read | { readonly accident: string }) => {
          reader.off("exit", died);
          reader.stderr?.off("data", hear);
          if ("accident" in message) reject(new Error(message.accident));
          else resolve(message);
        });
        reader.send({ path, fileName });
      });
    },
    close: async (): Promise<void> => {
      const ending = child;
      if (!ending) return;
      const exited = new Promise((resolve) => ending.once("exit", resolve));
      ending.kill();
      await exited;
    },
  };
}
