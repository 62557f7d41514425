// src/workers/imports runs imports: a worker takes an organisation's turn, reads the submission, records an outcome for every row and
// ends the import. Any number of workers may run. A lease in Postgres says which worker has the turn. If a worker still appends after its
// lease has ended, the event store refuses the append, which expects an older revision. This file has what all of that depends on.
import type { Logger } from "pino";
import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import type { Geography } from "../../domain/geography/geography.js";
import type { Stores } from "../../ports/database.js";
import type { Notices } from "../../ports/notices.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import type { Spreadsheets } from "../../ports/spreadsheets.js";

/** The loaded localities. Versions are by country: the checksum of the country's loaded file. */
export interface LocalityVersions {
  currentVersions(): Promise<Record<string, string>>;
  geography(versions: Record<string, string>): Promise<Geography>;
}

export interface WorkerDeps extends Stores {
  readonly objectStore: ObjectStore;
  readonly spreadsheets: Spreadsheets;
  /** An organisation's catalogue in one version, compiled and cached. */
  readonly catalogues: (organisationId: string, version: number) => Promise<Catalogue>;
  readonly localities: LocalityVersions;
  /** Without notices the worker polls for queued and cancelled imports. */
  readonly notices?: Notices;
  readonly logger: Logger;
  readonly workerId: string;
  /** The folder in which each worker makes its own folder, for the submissions that it reads. */
  readonly tempDir: string;
}
