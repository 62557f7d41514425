import type { SharedDeps } from "../server/deps.js";
import type { HttpMetrics } from "../server/requestFrame.js";

/** `check` throws the reason why the service is not ready. */
export type ReadinessCheck = { readonly name: string; readonly check: () => Promise<void> };

interface LinkedFile {
  readonly path: string;
  readonly size: number;
  /** Makes the browser save it under its name. */
  readonly contentDisposition: string;
  readonly contentType: string;
}

export interface ApiDeps extends SharedDeps {
  readonly metrics: HttpMetrics;
  readonly limits: { readonly rateLimitPerMinute: number; readonly maxQueuedImports: number };
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
