// A request that a page makes and whose answer is late, however quick the service is.
import { EventEmitter, once } from "node:events";
import type { Page, Route } from "playwright-core";

export interface HeldRequest {
  /** Resolves when the service has answered it; the page does not know yet. */
  readonly answered: Promise<void>;
  /** Resolves when the answer has come, or the other one that is given, and the page has had its turn with it. */
  letGo(instead?: { readonly status: number; readonly json: unknown }): Promise<void>;
}

/** Holds the answer to the next request to such an address; those to later ones pass. */
export async function holdNext(page: Page, address: RegExp): Promise<HeldRequest> {
  const signals = new EventEmitter();
  const answered = once(signals, "answered").then(() => undefined);
  const free = once(signals, "free");
  const passed = once(signals, "passed");
  let isHeld = false;
  const hold = async (route: Route) => {
    if (isHeld) return route.fallback();
    isHeld = true;
    const response = await route.fetch();
    signals.emit("answered");
    const [instead] = await free;
    await route.fulfill(instead ?? { response });
    return signals.emit("passed");
  };
  await page.route(address, hold);
  return {
    answered,
    letGo: async (instead) => {
      await answered;
      signals.emit("free", instead);
      await passed;
      await page.unroute(address, hold);
      await page.evaluate("fetch('/healthz').then((answer) => answer.text())"); // comes after it
    },
  };
}
