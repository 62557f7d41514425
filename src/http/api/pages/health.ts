import { withTimeLimit } from "../../../timeLimit.js";
import type { ApiDeps, ReadinessCheck } from "../deps.js";
import type { Page } from "../route.js";

const checkTimeoutMs = 2_000;

/** /healthz: the process is alive. /readyz: it can work, or which check fails. /metrics: for Prometheus. */
export function healthPages(deps: ApiDeps): readonly Page[] {
  return [
    { path: "/healthz", handler: (c) => c.json({ status: "ok" }) },
    {
      path: "/readyz",
      handler: async (c) => {
        const results = await Promise.all(readinessChecks(deps).map(async (check) => [check.name, await run(check, deps)] as const));
        const ready = results.every(([, result]) => result === "ok");
        return c.json({ status: ready ? "ready" : "unavailable", checks: Object.fromEntries(results) }, ready ? 200 : 503);
      },
    },
    {
      path: "/metrics",
      handler: async (c) => {
        const { contentType, text } = await deps.metrics.render();
        return c.body(text, 200, { "content-type": contentType });
      },
    },
  ];
}

const readinessChecks = (deps: ApiDeps): readonly ReadinessCheck[] => [
  { name: "postgres", check: async () => void (await deps.pool.query("select 1")) },
  { name: "eventStore", check: () => deps.eventStore.ping() },
  { name: "objectStore", check: () => deps.objectStore.ping() },
  ...(deps.readiness ?? []),
];

/** The reason is only logged, since this page needs no key. */
async function run({ name, check }: ReadinessCheck, { logger }: ApiDeps): Promise<"ok" | "failed"> {
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
