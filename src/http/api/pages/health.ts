import { withTimeLimit } from "../../../timeLimit.js";
import type { ApiDeps } from "../deps.js";
import type { PublicPage } from "../route.js";

const checkTimeoutMs = 2_000;

/** /healthz says that the process is alive, /readyz whether it can serve requests and which checks fail. /metrics is for Prometheus. */
export function healthPages({ pool, eventStore, objectStore, readiness, metrics, logger }: ApiDeps): readonly PublicPage[] {
  const checks: ApiDeps["readiness"] = {
    postgres: () => pool.query("select 1"),
    eventStore: () => eventStore.ping(),
    objectStore: () => objectStore.ping(),
    ...readiness,
  };
  return [
    { path: "/healthz", handler: (c) => c.json({ status: "ok" }) },
    {
      path: "/readyz",
      handler: async (c) => {
        const results = await Promise.all(
          Object.entries(checks).map(async ([name, check]) => [name, await checkResult(name, check, logger)] as const),
        );
        const ready = results.every(([, result]) => result === "ok");
        return c.json({ status: ready ? "ready" : "unavailable", checks: Object.fromEntries(results) }, ready ? 200 : 503);
      },
    },
    {
      path: "/metrics",
      handler: async (c) => {
        const { contentType, text } = await metrics.render();
        return c.body(text, 200, { "content-type": contentType });
      },
    },
  ];
}

/** Logs why a check failed. The answer does not have the reason, since the page needs no key. */
async function checkResult(name: string, check: () => Promise<unknown>, logger: ApiDeps["logger"]): Promise<"ok" | "failed"> {
  try {
    await withTimeLimit(checkTimeoutMs, check(), () => {
      throw new Error(`no answer within ${checkTimeoutMs} ms`);
    });
    return "ok";
  } catch (error) {
    logger.warn({ err: error, check: name }, "not ready");
    return "failed";
  }
}
