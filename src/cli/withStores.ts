import type { Logger } from "pino";
import type { Config } from "../config.js";
import type { Adapters } from "../main/adapters.js";

export interface CommandContext extends Adapters {
  readonly config: Config;
  readonly signingSecret: string;
  readonly logger: Logger;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
}

/**
 * Opens the stores for a command: the configured ones, those of a running `start`, or embedded ones that stop with the command. The large
 * modules are loaded here, so that help and wrong arguments are answered at once.
 */
export async function withStores<Result>(work: (context: CommandContext) => Promise<Result>): Promise<Result> {
  const [{ loadConfig }, { createLogger }, { openStores }, { exitInAnyCase, stopSignal }, { openAdapters }, { prepareTables }] =
    await Promise.all([
      import("../config.js"),
      import("../adapters/logging.js"),
      import("../supervisor/openStores.js"),
      import("../embedded/stopSignal.js"),
      import("../main/adapters.js"),
      import("../main/tables.js"),
    ]);
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, role: "cli" });
  const signal = stopSignal();
  exitInAnyCase(signal, 20_000);
  const stores = await openStores(config, "command", logger, signal);
  try {
    const adapters = await openAdapters(config, stores, "cli", logger);
    try {
      await prepareTables(adapters);
      signal.throwIfAborted();
      return await work({ ...adapters, config, signingSecret: stores.signingSecret, logger, signal });
    } finally {
      await adapters.close();
    }
  } finally {
    await stores.close();
  }
}
