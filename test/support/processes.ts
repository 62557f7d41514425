import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { commandLine, isAlive, processIdentity } from "../../src/embedded/processes.js";
import { untilNextLook } from "./eventually.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const program = join(root, "dist", "cli.js");

/** Runs a module script in its own process. Returns its stdout; throws with its stderr when it fails. */
export async function runScript(script: string, args: readonly string[] = [], more: Record<string, string> = {}): Promise<string> {
  const env = { ...process.env, ...more };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script, ...args], { cwd: root, env });
  return stdout;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `waybill ...` to its end; `meanwhile` gets the process once it has begun. */
export async function waybill(
  args: readonly string[],
  environment: Record<string, string> = {},
  meanwhile?: (child: ChildProcess) => void,
): Promise<CommandResult> {
  const child = spawn(process.execPath, [program, ...args], { env: commandEnvironment(environment), stdio: ["ignore", "pipe", "pipe"] });
  meanwhile?.(child);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = await once(child, "close");
  return { code: Number(code), stdout: stdout(), stderr: stderr() };
}

/** This process's environment without variables that configure the product, and with the given ones. */
export const commandEnvironment = (given: Record<string, string> = {}): Record<string, string> => ({ ...quiet(), ...given });

/** A data folder and a port on which the product can be started. `clear` ends all its processes and removes the folder. */
export interface Machine {
  readonly dataDir: string;
  readonly url: string;
  readonly environment: Record<string, string>;
  /** Starts the product and waits until it says that it is ready. */
  start(): Promise<Product>;
  /** Pids of everything that runs on the data folder besides the supervisor, with their command lines. */
  processes(): Promise<Map<number, string>>;
  clear(): Promise<void>;
}

export interface Product {
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** Resolves when the whole output of the product and its processes has been read. */
  readonly silent: Promise<void>;
  stdout(): string;
  stderr(): string;
  signal(signal: NodeJS.Signals): void;
}

export async function createMachine(environment: Record<string, string> = {}, started = program): Promise<Machine> {
  const dataDir = await mkdtemp(join(tmpdir(), "waybill-test-start-"));
  const port = await freePort();
  const env = { ...quiet(), DATA_DIR: dataDir, PORT: String(port), ...environment };
  const children: ChildProcess[] = [];
  const processes = () => processesOn(dataDir);
  return {
    dataDir,
    url: `http://127.0.0.1:${port}`,
    environment: env,
    processes,
    start: async () => {
      const child = spawn(process.execPath, [started, "start"], { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
      children.push(child);
      return untilReady(child);
    },
    clear: async () => {
      for (const child of children) child.kill("SIGKILL"); // by its handle, since the pid of an ended child may belong to another process by now
      for (const pid of (await processes()).keys()) kill(pid, "SIGKILL");
      await until("every process is gone", async () => (await processes()).size === 0);
      // The postmaster's child processes end a moment after it, and may still write files until then.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}

async function untilReady(child: ChildProcess): Promise<Product> {
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const exited = new Promise<number | null>((settle) => child.once("exit", settle));
  const silent = new Promise<void>((settle) => child.once("close", () => settle()));
  let gone = false;
  void exited.then(() => {
    gone = true;
  });
  await until("the product is ready", async () => gone || stdout().includes("ready at"));
  if (!stdout().includes("ready at")) throw new Error(stderr());
  return { pid: child.pid ?? 0, exited, silent, stdout, stderr, signal: (signal) => kill(child.pid ?? 0, signal) };
}

async function processesOn(dataDir: string): Promise<Map<number, string>> {
  const runtime = await readFile(join(dataDir, "runtime.json"), "utf8").catch(() => '{"processes":[]}');
  const postmaster = await readFile(join(dataDir, "postgres", "data", "postmaster.pid"), "utf8").catch(() => "0");
  const found = new Map<number, string>();
  for (const identity of (JSON.parse(runtime) as { processes: string[] }).processes) {
    const pid = Number.parseInt(identity, 10);
    if ((await processIdentity(pid)) === identity) found.set(pid, await commandLine(pid)); // otherwise the pid belongs to another process by now
  }
  const server = Number.parseInt(postmaster, 10);
  const command = server > 0 && isAlive(server) ? await commandLine(server) : "";
  if (command.includes(dataDir)) found.set(server, command);
  return found;
}

/** Every process with the folder in its command line or environment, also those that runtime.json does not name. Needs /proc. */
export async function everythingOn(dataDir: string): Promise<Map<number, string>> {
  const about = (pid: string, what: string) => readFile(`/proc/${pid}/${what}`, "utf8").catch(() => "");
  const found = new Map<number, string>();
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const command = (await about(pid, "cmdline")).replaceAll("\0", " ");
    if ((command + (await about(pid, "environ"))).includes(dataDir)) found.set(Number(pid), command);
  }
  return found;
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    if (pid > 0) process.kill(pid, signal);
  } catch {
    // gone already
  }
}

export async function until(what: string, holds: () => Promise<boolean>, deadlineMs = 120_000): Promise<void> {
  for (const begun = performance.now(); performance.now() - begun < deadlineMs; await untilNextLook(begun)) if (await holds()) return;
  throw new Error(`not within ${deadlineMs} ms: ${what}`);
}

const portsEach = 1_500;
/** The first port of this process. Vitest runs the test files in a few processes, numbered from 1. */
const firstPort = 20_000 + portsEach * (Number(process.env["VITEST_POOL_ID"] ?? 0) % 8);
let nextPort = Math.floor(Math.random() * portsEach);

/**
 * A port below the range from which the system gives ports to outgoing connections and to servers that ask for any port: they could take
 * a higher port at any moment. No other test process of this run gets the same port.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + (nextPort++ % portsEach);
    const server = createServer();
    const free = await new Promise<boolean>((settle) => {
      server.once("error", () => settle(false)).listen(port, "127.0.0.1", () => server.close(() => settle(true)));
    });
    if (free) return port;
  }
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = "";
  stream?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return () => text;
}

/** This process's environment without variables that configure the product. */
function quiet(): Record<string, string> {
  const names = /^(PORT|HOST|DATA_DIR|DATABASE_URL|EVENTSTORE_URL|S3_|PUBLIC_URL|RATE_LIMIT|MAX_QUEUED|SIGNING_SECRET|DEMO|LOG_LEVEL)/;
  const kept = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined && !names.test(entry[0]));
  return { ...Object.fromEntries(kept), LOG_LEVEL: "warn" };
}
