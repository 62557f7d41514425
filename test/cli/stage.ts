// The stores and the environment of the commands of a test file.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestEventStore, type TestEventStore } from "../support/stores/eventStore.js";
import { createTestDatabase } from "../support/stores/postgres.js";

export interface CommandStage {
  /** For the files of the tests; DATA_DIR is below it. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly eventStore: TestEventStore;
  close(): Promise<void>;
}

export async function startCommandStage(): Promise<CommandStage> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-cli-"));
  const [database, eventStore] = await Promise.all([createTestDatabase(), startTestEventStore()]);
  const environment = {
    DATA_DIR: join(folder, "data"),
    DATABASE_URL: database.url,
    EVENTSTORE_URL: eventStore.address,
    SIGNING_SECRET: "a secret of at least thirty-two characters",
  };
  const close = async () => {
    await eventStore.stop();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, environment, eventStore, close };
}
