// Holds back the answer to a request of a page, however quick the service is.
import { EventEmitter, once } from "node:events";
import type { Page, Route } from "playwright-core";

export interface HeldRequest {
  /** Resolves when the service has answered. The page does not have the answer yet. */
  readonly answered: Promise<void>;
  /** Gives the page the service's answer, or `instead`. Resolves when the page's script has handled it. */
  letGo(instead?: { readonly status: number; readonly json: unknown }): Promise<void>;
}

/** Holds the answer to the page's next request whose address matches. Later requests pass. */
export async function holdNext(page: Page, address: RegExp): Promise<HeldRequest> {
  const signals = new EventEmitter();
  const signal = AbortSignal.timeout(60_000); // a test that waits for the wrong request says so
  const answered = once(signals, "answered", { signal }).then(() => undefined);
  const free = once(signals, "free", { signal });
  const passed = once(signals, "passed", { signal });
  for (const each of [answered, free, passed]) each.catch(() => undefined); // whoever waits for it gets the error
  let isHeld = false;
  const hold = async (route: Route) => {
    if (isHeld) return route.fallback();
    isHeld = true;
    const response = await route.fetch();
    signals.emit("answered");
    const given = await free.catch(() => undefined);
    if (!given) return route.abort().catch(() => undefined); // nobody lets it go any more, and the page may be closed
    await route.fulfill(given[0] ?? { response });
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
      await page.evaluate("fetch('/healthz').then((answer) => answer.text())"); // its answer comes after the held one
    },
  };
}
