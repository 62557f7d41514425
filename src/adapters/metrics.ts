import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { withTimeLimit } from "../timeLimit.js";

export interface Metrics {
  readonly registry: Registry;
  requestEnded(labels: { method: string; route: string; status: number }, seconds: number): void;
  signInEnded(labels: { way: string; outcome: string }): void;
  render(): Promise<{ contentType: string; text: string }>;
}

/** A number, or one for each value of a label, that is read when /metrics is requested. */
export type LookedUp = { readonly name: string; readonly help: string } & (
  | { readonly label?: undefined; readonly read: () => Promise<number | undefined> }
  | { readonly label: string; readonly read: () => Promise<Readonly<Record<string, number>> | undefined> }
);

/** Creates a registry of its own, so that two apps in one process do not share numbers. */
export function createMetrics(lookedUp: readonly LookedUp[] = []): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
  for (const each of lookedUp) addGauge(registry, each);
  return {
    registry,
    requestEnded: ({ method, route, status }, seconds) => requests.observe({ method: knownMethod(method), route, status }, seconds),
    signInEnded: (labels) => signIns.inc(labels),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** A fixed set of labels, which unknown request methods cannot extend. */
const knownMethod = (method: string) => (["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].includes(method) ? method : "other");

/** During an outage the number is left out, and the other metrics are still answered. */
function addGauge(registry: Registry, { name, help, label, read }: LookedUp): void {
  new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect() {
      this.reset();
      const value = await withTimeLimit<Looked, undefined>(lookUpMs, read(), () => undefined).catch(() => undefined);
      if (value === undefined) this.remove();
      else if (typeof value === "number") this.set(value);
      else for (const [each, count] of Object.entries(value)) this.set({ [label ?? ""]: each }, count);
    },
  });
}

const lookUpMs = 2_000;
type Looked = number | Readonly<Record<string, number>> | undefined;
