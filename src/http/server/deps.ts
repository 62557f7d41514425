import type { Pool } from "pg";
import type { Logger } from "pino";
import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import type { Geography } from "../../domain/geography/geography.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import type { PoolForReads } from "../../ports/reads.js";
import type { HeaderReader, Spreadsheets } from "../../ports/spreadsheets.js";

/** What the API and the portal both need. src/main/roles/api.ts builds it. */
export interface SharedDeps {
  readonly pool: Pool;
  /** Wraps the pool for a request that only reads. */
  readonly poolForReads: PoolForReads;
  /** A separate pool for looking up API keys and sessions, so that they do not wait behind other statements. */
  readonly lookUpPool: Pool;
  readonly eventStore: EventStore;
  readonly objectStore: ObjectStore;
  readonly spreadsheets: Spreadsheets;
  readonly headerRows: HeaderReader;
  /** Loads one version of an organisation's catalogue, compiled and cached. */
  readonly catalogues: (organisationId: string, version: number) => Promise<Catalogue>;
  readonly geography: Geography;
  /** The folder for uploads until they are in the object store. */
  readonly tempDir: string;
  readonly logger: Logger;
  /** The base address of links in answers, without a trailing slash. */
  readonly publicUrl: string;
  readonly signingSecret: string;
}
