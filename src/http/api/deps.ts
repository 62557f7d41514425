import type { Pool } from "pg";
import type { Logger } from "pino";
import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import type { Geography } from "../../domain/geography/geography.js";
import type { EventStore } from "../../ports/eventStore.js";
import type { ObjectStore } from "../../ports/objectStore.js";
import type { Reads } from "../../ports/reads.js";
import type { HeaderReader, Spreadsheets } from "../../ports/spreadsheets.js";
import type { QuoteMemory } from "../../queries/quotes/recentQuotes.js";
import type { HttpMetrics } from "../server/requestFrame.js";

export interface ApiLimits {
  readonly rateLimitPerMinute: number;
  readonly maxQueuedImports: number;
}

/** `check` throws the reason why the service is not ready. */
export type ReadinessCheck = { readonly name: string; readonly check: () => Promise<void> };

interface LinkedFile {
  readonly path: string;
  readonly size: number;
  /** Makes the browser save it under its name. */
  readonly contentDisposition: string;
  readonly contentType: string;
}

/** What the API needs; src/main.ts builds it. */
export interface ApiDeps {
  readonly pool: Pool;
  /** How requests that read use the pool. */
  readonly reads: Reads;
  /** For the look-up of API keys. */
  readonly lookUps: Pool;
  readonly eventStore: EventStore;
  readonly objectStore: ObjectStore;
  readonly spreadsheets: Spreadsheets;
  readonly headerRows: HeaderReader;
  /** An organisation's catalogue in one version, compiled and cached. */
  readonly catalogues: (organisationId: string, version: number) => Promise<Catalogue>;
  readonly geography: Geography;
  readonly quoteMemory: QuoteMemory;
  /** Folder for uploads until they are in the object store. */
  readonly tempDir: string;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
  readonly limits: ApiLimits;
  /** The base of the links in answers, without a trailing slash. */
  readonly publicUrl: string;
  readonly signingSecret: string;
  /** The embedded object store's function that opens a signed link; its result is undefined when the signature is wrong or the link has expired. */
  readonly openLink?: (
    link: { key: string; expires: string; name: string; signature: string },
    now: Date,
  ) => Promise<LinkedFile | undefined>;
  /** Aborts when the API stops, which ends the work that goes on in the background after an answer. */
  readonly stopping?: AbortSignal;
  /** Checks besides the three stores, such as the projection's lag. */
  readonly readiness?: readonly ReadinessCheck[];
}
