// Workers and projectors of a test service, in this process: started and stopped while everything else goes on.
import { randomUUID } from "node:crypto";
import { openNotices } from "../../src/adapters/postgres/notices.js";
import { channels } from "../../src/ports/notices.js";
import { runProjector } from "../../src/projections/running/runProjector.js";
import { runWorker } from "../../src/workers/imports/runWorker.js";
import type { TestService } from "./service.js";

export interface Role {
  stop(): Promise<void>;
}

function inBackground(run: (signal: AbortSignal) => Promise<void>): Role {
  const control = new AbortController();
  const done = run(control.signal);
  return {
    stop: async () => {
      control.abort();
      await done;
    },
  };
}

export function startWorker({ deps }: Pick<TestService, "deps">, eventStore = deps.eventStore): Role {
  const { pool, objectStore, spreadsheets, catalogues, geography, logger, tempDir } = deps;
  return inBackground(async (signal) => {
    const url = String(pool.options.connectionString);
    const notices = openNotices({ url, applicationName: "test", channels: Object.values(channels), signal });
    await runWorker({
      ...{ pool, eventStore, objectStore, spreadsheets, catalogues, logger, tempDir, signal },
      localities: { currentVersions: async () => ({}), geography: async () => geography },
      workerId: `worker-${randomUUID().slice(0, 8)}`,
      notices,
    });
    await notices.closed;
  });
}

export function startProjector({ deps: { pool, eventStore, logger } }: TestService): Role {
  return inBackground((signal) => runProjector({ pool, eventStore, logger, signal }));
}
