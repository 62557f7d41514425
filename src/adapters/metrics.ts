import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { withTimeLimit } from "../timeLimit.js";

/** A metric that is read when /metrics is requested: one number, or one for each value of a label. */
interface LookedUpMetric {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly read: () => Promise<number | Readonly<Record<string, number>> | undefined>;
}

/** Each call creates its own registry, so that two apps in one process do not share numbers. */
export function createMetrics(lookedUpMetrics: readonly LookedUpMetric[] = []) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 2 ** 31 - 1 }); // in effect no sampling: `addLoopLag` samples
  addLoopLag(registry);
  const requests = new Histogram({
    name: "waybill_http_request_seconds",
    help: "Time from the first byte of a request to its answer",
    labelNames: ["method", "route", "status"] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const signIns = new Counter({
    name: "waybill_sign_ins_total",
    help: "Sign-ins to the portal, by the way they were made and by what became of them: signed in, refused, or slowed (told to wait)",
    labelNames: ["way", "outcome"] as const,
    registers: [registry],
  });
  for (const each of lookedUpMetrics) addGauge(registry, each);
  return {
    registry,
    recordRequest: ({ method, route, status }: { method: string; route: string; status: number }, seconds: number) =>
      requests.observe({ method: methodLabel(method), route, status }, seconds),
    recordSignIn: (labels: { way: string; outcome: string }) => signIns.inc(labels),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** One of a fixed set of labels, so that callers cannot add labels by inventing request methods. */
const methodLabel = (method: string) => (["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].includes(method) ? method : "other");

const sampleMs = 100;

/**
 * Reports the delays of the event loop since the last reading. It replaces prom-client's own sampling, which wakes the process a hundred
 * times a second and so costs an idle process half a percent of a core. The time between two samples is subtracted from each delay.
 */
function addLoopLag(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: sampleMs });
  delay.enable();
  const seconds = (nanoseconds: number) => (delay.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - sampleMs / 1e3));
  const statistics: Record<string, () => number> = {
    min: () => seconds(delay.min),
    max: () => seconds(delay.max),
    mean: () => seconds(delay.mean),
    stddev: () => (delay.count === 0 ? 0 : delay.stddev / 1e9),
    p50: () => seconds(delay.percentile(50)),
    p90: () => seconds(delay.percentile(90)),
    p99: () => seconds(delay.percentile(99)),
  };
  const gauges = Object.entries(statistics).map(([part, value]) => {
    const name = `nodejs_eventloop_lag_${part}_seconds`;
    registry.removeSingleMetric(name);
    return { gauge: new Gauge({ name, help: `Delay of the event loop, ${part}, since the last reading`, registers: [registry] }), value };
  });
  const lagGauge = registry.getSingleMetric("nodejs_eventloop_lag_seconds") as Gauge & { collect: () => void };
  const collect = lagGauge.collect;
  lagGauge.collect = () => {
    collect.call(lagGauge);
    for (const { gauge, value } of gauges) gauge.set(value());
    delay.reset();
  };
}

/** If `read` fails or takes too long, /metrics answers without this metric. */
function addGauge(registry: Registry, { name, help, label, read }: LookedUpMetric): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      this.reset();
      const value = await withTimeLimit(maxLookUpMs, read(), () => undefined).catch(() => undefined);
      if (value === undefined) this.remove();
      else if (typeof value === "number") this.set(value);
      else for (const [each, count] of Object.entries(value)) this.set({ [label ?? ""]: each }, count);
    },
  });
}

const maxLookUpMs = 2_000;
