import type { SharedDeps } from "../server/deps.js";
import type { HttpMetrics } from "../server/requestMiddleware.js";

export interface ApiDeps extends SharedDeps {
  readonly metrics: HttpMetrics;
  readonly limits: { readonly rateLimitPerMinute: number; readonly maxQueuedImports: number };
  /** Aborts when the API has stopped. That ends the work that goes on in the background after an answer. */
  readonly stopping?: AbortSignal;
  /** Checks besides the three stores, such as the projection's lag. Each throws the reason why the service is not ready. */
  readonly readiness?: Readonly<Record<string, () => Promise<unknown>>>;
}
