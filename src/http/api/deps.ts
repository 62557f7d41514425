import type { Pool } from "pg";
import type { Logger } from "pino";
import type { Catalogue } from "../../domain/catalogue/catalogue.js";
import type { Geography } from "../../domain/geography/geography.js";
import type { EventStore, HeaderReader, ObjectStore, Spreadsheets } from "../../ports.js";
import type { QuoteMemory } from "../../queries/recentQuotes.js";
import type { HttpMetrics } from "../server/requestFrame.js";

export interface ApiLimits {
  readonly rateLimitPerMinute: number;
  readonly maxQueuedImports: number;
}

/** Answers why the service cannot take requests, or an empty list. */
export type ReadinessCheck = { readonly name: string; readonly check: () => Promise<void> };

export interface LinkedFile {
  readonly path: string;
  readonly size: number;
  readonly downloadName: string;
  readonly contentType: string;
}

/** Everything the API needs, built by whoever starts it. */
export interface ApiDeps {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly objectStore: ObjectStore;
  readonly spreadsheets: Spreadsheets;
  readonly headerRows: HeaderReader;
  /** An organisation's catalogue in one version, compiled and cached. */
  readonly catalogues: (organisationId: string, version: number) => Promise<Catalogue>;
  readonly geography: Geography;
  readonly quoteMemory: QuoteMemory;
  /** Where uploads are held until they are stored. */
  readonly tempDir: string;
  readonly logger: Logger;
  readonly metrics: HttpMetrics;
  readonly limits: ApiLimits;
  /** Base of links that the service hands out, without a trailing slash. */
  readonly publicUrl: string;
  readonly signingSecret: string;
  /** The embedded object store's: the file behind a signed link, undefined when the link is not ours or has expired. */
  readonly openLink?: (
    link: { key: string; expires: string; name: string; signature: string },
    now: Date,
  ) => Promise<LinkedFile | undefined>;
  /** Aborts when the API stops: what goes on in the background after an answer ends. */
  readonly stopping?: AbortSignal;
  /** Checks beyond the three stores, such as the projection's lag. */
  readonly readiness?: readonly ReadinessCheck[];
}
