import type { SharedDeps } from "../server/deps.js";
import type { HttpMetrics } from "../server/requestMiddleware.js";

export interface ApiDeps extends SharedDeps {
  readonly metrics: HttpMetrics;
  /** Requests per key, and imports per organisation. */
  readonly limits: { readonly rateLimitPerMinute: number; readonly maxQueuedImports: number };
  /** Aborts when the API has stopped, to end work that goes on in the background after an answer. */
  readonly stopped?: AbortSignal;
  /** Checks besides the three stores, such as the projection's lag. Each throws the reason why the service is not ready. */
  readonly readiness?: Readonly<Record<string, () => Promise<unknown>>>;
}
