import { once } from "node:events";
import type { Command } from "commander";
import type { RoleName } from "../main.js";
import { CommandFault, command, print, printToStderr } from "./outcome.js";

const roleDescriptions = {
  api: "serve the REST API and the portal on HOST and PORT",
  worker: "run imports and send webhooks; start as many as wanted",
  projector: "keep the read models up to date; one is active, others stand by",
} as const satisfies Record<RoleName, string>;

export function addRoleCommands(program: Command): void {
  program
    .command("start")
    .description("run the whole product on this machine: stores without an address, migrations, one process of each role")
    .action(command(runAllRoles));
  for (const [role, description] of Object.entries(roleDescriptions)) {
    program
      .command(role)
      .description(description)
      .action(command(() => runRole(role as RoleName)));
  }
  program
    .command("eventstore")
    .description("serve the embedded event store by itself on loopback, for any EventStoreDB client or tool")
    .requiredOption("--port <number>", "port to listen on; 0 for any free one", parsePort)
    .requiredOption("--data <folder>", "where it keeps its data; one process per folder")
    .option("--credentials-on-stdin", "read user:password from standard input and refuse clients that do not give them")
    .action(command(serveEventStore));
}

const parsePort = (text: string): number => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : Number.NaN);

async function serveEventStore({ port, data, credentialsOnStdin }: { port: number; data: string; credentialsOnStdin?: boolean }) {
  if (Number.isNaN(port)) throw new Error("--port must be a whole number from 0 to 65535");
  const credentials = credentialsOnStdin ? await readCredentials(process.stdin) : undefined;
  const [{ startEventStoreNode, startFault }, { ensureUsableFolder }, { stopSignal, tellParent }] = await Promise.all([
    import("../embedded/eventstore/node.js"),
    import("../embedded/dataFolder.js"),
    import("../embedded/childProcess.js"),
  ]);
  const stopping = stopSignal();
  await ensureUsableFolder(data, "--data");
  if (stopping.aborted) return;
  const failure = new AbortController();
  const options = { port, dataDir: data, credentials, onFailure: (error: unknown) => failure.abort(error) };
  const report = (message: string, error: unknown) => printToStderr(`${message}: ${(error as Error).message}`);
  const node = await startEventStoreNode({ ...options, report }).catch((error: unknown) => {
    throw new CommandFault(startFault(error, options));
  });
  if (process.send) tellParent({ address: node.address });
  else print(`event store on ${node.address}`);
  const ended = AbortSignal.any([stopping, failure.signal]);
  if (!ended.aborted) await once(ended, "abort");
  await node.stop();
  const { aborted: hasFailed, reason } = failure.signal;
  if (hasFailed) throw new Error(`the event store could not write to ${data} and ends: ${(reason as Error).message}`);
}

const maxCredentialsLength = 1024;

/** Reads the first line of stdin. */
async function readCredentials(input: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of input.setEncoding("utf8")) {
    text += chunk;
    if (text.length > maxCredentialsLength || text.includes("\n")) break;
  }
  const [line = ""] = text.split(/\r?\n/);
  if (line.length > maxCredentialsLength || !/^[^:\s]+:\S+$/.test(line)) {
    throw new Error("--credentials-on-stdin wants one line on standard input, user:password, without spaces");
  }
  return line;
}

/** Loads the settings, and the modules that `start` and every role need first. Other commands do not load them. */
async function prepareRole(role: RoleName | "start") {
  const [{ loadConfig }, { createLogger }, { stopSignal, ...childProcess }] = await Promise.all([
    import("../config.js"),
    import("../adapters/logging.js"),
    import("../embedded/childProcess.js"),
  ]);
  const config = loadConfig();
  return { config, logger: createLogger({ level: config.logLevel, role }), signal: stopSignal(), ...childProcess };
}

async function runRole(name: RoleName): Promise<void> {
  const [{ config, logger, signal, limitStop, tellParent }, { openRole }] = await Promise.all([prepareRole(name), import("../main.js")]);
  if (signal.aborted) return;
  const storesLost = new AbortController();
  const ended = AbortSignal.any([signal, storesLost.signal]);
  limitStop(ended, 9_000); // a role has ten seconds to stop
  const role = await openRole(name, config, logger);
  try {
    const [{ openStores }, run] = await Promise.all([import("../supervisor/openStores.js"), role.load()]);
    const stores = await openStores(config, "role", logger, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    if (!stores) return;
    const onReady = () => {
      logger.info(name === "api" ? { host: config.host, port: config.port } : {}, "ready");
      tellParent({ ready: true });
    };
    void stores.whenFolderLost(signal).then(() => storesLost.abort());
    try {
      await run({ config, addresses: stores, logger, signal: ended, onReady });
    } finally {
      await stores.close();
    }
    if (!signal.aborted) throw new Error(`Another process has restarted the stores in ${config.dataDir}. Start this role again.`);
  } finally {
    await role.close();
  }
}

async function runAllRoles(): Promise<void> {
  const [{ config, logger, signal, limitStop }, { start }, { prepareFirstStart, welcomeLines }] = await Promise.all([
    prepareRole("start"),
    import("../supervisor/start.js"),
    import("./firstStart.js"),
  ]);
  limitStop(signal, 20_000); // long enough to kill a role and then a store that hang
  let demo: Awaited<ReturnType<typeof prepareFirstStart>>;
  await start({
    config,
    logger,
    signal,
    prepare: async (stores) => {
      demo = await prepareFirstStart(config, stores, logger, signal);
    },
    onReady: () => print(welcomeLines(config, demo)),
  });
}
