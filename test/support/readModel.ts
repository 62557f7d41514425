// The reading side on real stores: an event store, a database, and a projector between them.
import type pg from "pg";
import { type Logger, pino } from "pino";
import { connectEventStore } from "../../src/adapters/eventStore/connect.js";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import type { EventStore } from "../../src/ports/eventStore.js";
import { runProjector } from "../../src/projections/running/runProjector.js";
import { untilNextLook } from "./eventually.js";
import { append, type Story, type Told, tell } from "./importStory.js";
import { type Own, starting } from "./starting.js";
import { startHostedEventStore } from "./stores/hostedEventStore.js";
import { createTestDatabase } from "./stores/postgres.js";

export interface ReadModel {
  readonly pool: pg.Pool;
  readonly url: string;
  readonly eventStore: EventStore;
  readonly address: string;
  /** Records an import; `project` afterwards waits for the tables. */
  record(story: Story): Promise<Told>;
  /** Waits until the running projector has come to the end of the log as it is now. */
  project(): Promise<void>;
  /** Kills the event store with kill -9, and starts it again on the same folder. */
  crashEventStore(): Promise<void>;
  /** `from` is the event store to follow, by default the model's own. */
  startProjector(logger?: Logger, from?: EventStore): void;
  stopProjector(): Promise<void>;
  /** Does the work while no projector runs. */
  withoutProjector<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const quiet = pino({ level: "silent" });

/** No table is ever missing here. */
const tables = { migrations: migrationStatements(), createOtherTables: async () => undefined, missingProjections: async () => [] };

export const startReadModel = (startStore = startHostedEventStore): Promise<ReadModel> => starting((own) => startParts(own, startStore));

async function startParts(own: Own, startStore: typeof startHostedEventStore): Promise<Omit<ReadModel, "close">> {
  const database = await own(createTestDatabase(), ({ close }) => close());
  const node = await own(startStore(), ({ stop }) => stop());
  const eventStore = await own(connectEventStore({ address: node.address, logger: quiet }), (connected) => connected.close());
  let projector: { stop: AbortController; ended: Promise<void> } | undefined;
  const model: Omit<ReadModel, "close"> = {
    pool: database.pool,
    url: database.socketUrl,
    eventStore,
    address: node.address,
    async record(story) {
      const told = tell(story);
      await append(eventStore, told);
      return told;
    },
    async project() {
      const head = await eventStore.head();
      if (!head) return;
      await until(async () => {
        const { rows } = await database.pool.query("select min(commit) >= $1 as there from checkpoints", [String(head.commit)]);
        return rows[0]?.there === true;
      });
    },
    async crashEventStore() {
      await node.kill();
      await node.restart();
    },
    startProjector(logger = quiet, from = eventStore) {
      const stop = new AbortController();
      projector = { stop, ended: runProjector({ pool: database.pool, eventStore: from, logger, signal: stop.signal, tables }) };
    },
    async stopProjector() {
      projector?.stop.abort();
      await projector?.ended;
      projector = undefined;
    },
    async withoutProjector(work) {
      await model.stopProjector();
      try {
        return await work();
      } finally {
        model.startProjector();
      }
    },
  };
  await own(model, () => model.stopProjector());
  model.startProjector();
  return model;
}

/** Waits for a condition, with a deadline. */
export async function until(condition: () => Promise<boolean>, deadlineMs = 90_000): Promise<void> {
  const begun = performance.now();
  while (!(await condition())) {
    if (performance.now() - begun > deadlineMs) throw new Error(`the condition did not come true within ${deadlineMs} ms`);
    await untilNextLook(begun);
  }
}
