// A request that a page makes and whose answer is late, however quick the service is.
import { EventEmitter, once } from "node:events";
import type { Page, Request, Route } from "playwright-core";

export interface HeldRequest {
  /** Resolves when the page has made it. */
  readonly made: Promise<Request>;
  /** Resolves when its answer has come, and the page has had its turn with it. */
  letGo(): Promise<void>;
}

/** Holds the next request to such an address; those after it pass. */
export async function holdNext(page: Page, address: RegExp): Promise<HeldRequest> {
  const signals = new EventEmitter();
  const made = once(signals, "made").then(([request]) => request as Request);
  const free = once(signals, "free");
  let isHeld = false;
  const hold = async (route: Route) => {
    if (isHeld) return route.fallback();
    isHeld = true;
    signals.emit("made", route.request());
    await free;
    return route.continue();
  };
  await page.route(address, hold);
  return {
    made,
    letGo: async () => {
      const request = await made;
      const answered = page.waitForEvent("requestfinished", (finished) => finished === request);
      signals.emit("free");
      await answered;
      await page.unroute(address, hold);
      await page.evaluate("new Promise((resolve) => setTimeout(resolve))");
    },
  };
}
