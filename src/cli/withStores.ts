import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { createLogger } from "../adapters/logging.js";
import { type Config, loadConfig } from "../config.js";
import { operatorPrincipal } from "../domain/principal.js";
import { limitStop, stopSignal } from "../embedded/childProcess.js";
import { type Adapters, memberDeps, openAdapters, organisationDeps, webhookDeps } from "../main/adapters.js";
import { prepareTables } from "../main/tables.js";
import { listOrganisations } from "../queries/organisations/organisations.js";
import { openStores } from "../supervisor/openStores.js";
import { CommandFault } from "./outcome.js";

export type CommandContext = ReturnType<typeof contextOf>;

/** `signal` aborts on Ctrl-C. `origin` is recorded with every change that the command makes. */
const contextOf = (adapters: Adapters, config: Config, signingSecret: string, logger: Logger, signal: AbortSignal) => ({
  ...adapters,
  config,
  logger,
  signal,
  origin: { by: operatorPrincipal, correlationId: randomUUID() },
  organisations: organisationDeps(adapters),
  members: memberDeps(adapters),
  webhooks: webhookDeps(adapters, config, signingSecret),
});

/** Opens the stores for a command: the configured stores, those of a running `start` or role, or embedded ones that it stops at the end. */
export async function withStores<Result>(work: (context: CommandContext) => Promise<Result>): Promise<Result> {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, role: "cli" });
  const signal = stopSignal();
  limitStop(signal, 20_000);
  const stores = await openStores(config, "command", logger, signal);
  try {
    const adapters = await openAdapters(config, stores, "cli", logger);
    try {
      await prepareTables(adapters);
      signal.throwIfAborted();
      return await work(contextOf(adapters, config, stores.signingSecret, logger, signal));
    } finally {
      await adapters.close();
    }
  } finally {
    await stores.close();
  }
}

/** As `withStores`, but fails if there is no such organisation. */
export function withOrganisation<Result>(organisationId: string, work: (context: CommandContext) => Promise<Result>): Promise<Result> {
  return withStores(async (context) => {
    const exists = (await listOrganisations(context.pool)).some(({ id }) => id === organisationId);
    if (!exists) throw new CommandFault(`There is no organisation ${organisationId}`);
    return work(context);
  });
}
