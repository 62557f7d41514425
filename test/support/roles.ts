// Workers and projectors of a test service, in this process: started and stopped while everything else goes on.
import { randomUUID } from "node:crypto";
import { listen } from "../../src/adapters/postgres/listen.js";
import { importQueuedChannel } from "../../src/commands/imports/importQueue.js";
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
  return inBackground((signal) =>
    runWorker({
      ...{ pool, eventStore, objectStore, spreadsheets, catalogues, logger, tempDir, signal },
      localities: { current: async () => ({}), geography: async () => geography },
      workerId: `worker-${randomUUID().slice(0, 8)}`,
      listen: (ring, until) =>
        listen({
          url: String(pool.options.connectionString),
          applicationName: "test",
          channel: importQueuedChannel,
          onNotify: ring,
          signal: until,
        }),
    }),
  );
}

export function startProjector({ deps: { pool, eventStore, logger } }: TestService): Role {
  return inBackground((signal) => runProjector({ pool, eventStore, logger, signal }));
}
