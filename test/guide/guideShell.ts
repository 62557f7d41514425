// One shell for all commands of the guide, so that variables and functions stay from block to block.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs `npm run -s waybill` without building, and other npm commands in the clone whatever the shell's folder is. */
const prelude = `exec 2>&1
npm() {
  if [ "$1 $2 $3 $4" = "run -s waybill --" ]; then shift 4; node "$GUIDE_ROOT/dist/cli.js" "$@"; else command npm --prefix "$GUIDE_ROOT" "$@"; fi
}
`;

export interface GuideShell {
  /** Runs the commands and returns their output. Throws when the last one fails, or when they take longer than two minutes. */
  run(commands: string): Promise<string>;
  stop(): Promise<void>;
}

export function startGuideShell(folder: string, environment: Record<string, string>): GuideShell {
  const env = { ...environment, GUIDE_ROOT: root, npm_config_update_notifier: "false" };
  // The shell has its own process group, so that its background processes end with it.
  const shell = spawn("bash", ["--norc"], { cwd: folder, env, stdio: ["pipe", "pipe", "pipe"], detached: true });
  const exited = once(shell, "exit");
  const reader = outputOf(shell);
  shell.stdin.write(prelude);
  let count = 0;
  return {
    run: async (commands) => {
      const file = join(folder, `block-${++count}.sh`);
      await writeFile(file, commands);
      shell.stdin.write(`. '${file}' < /dev/null; printf '\\nend of block %s: %s\\n' ${count} $?\n`);
      const { said, code } = await reader.until(new RegExp(`\\nend of block ${count}: (\\d+)\\n`));
      if (code !== 0) throw new Error(`the guide's commands end with ${code}:\n${commands}\n${said}`);
      return said;
    },
    stop: async () => {
      if (shell.pid !== undefined && shell.exitCode === null) {
        process.kill(-shell.pid, "SIGTERM");
        await exited;
      }
    },
  };
}

function outputOf(shell: ChildProcess) {
  let said = "";
  let heard = () => {};
  const take = (chunk: string) => {
    said += chunk;
    heard();
  };
  shell.stdout?.setEncoding("utf8").on("data", take);
  shell.stderr?.setEncoding("utf8").on("data", take);
  shell.on("exit", () => heard());
  return {
    until: (end: RegExp): Promise<{ said: string; code: number }> =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`the guide's commands have not ended within two minutes: ${said}`)), 120_000);
        heard = () => {
          const match = end.exec(said);
          if (!match && shell.exitCode === null) return;
          clearTimeout(timer);
          if (!match) return reject(new Error(`the shell ended: ${said}`));
          resolve({ said: said.slice(0, match.index), code: Number(match[1]) });
          said = said.slice(match.index + match[0].length);
        };
        heard();
      }),
  };
}
