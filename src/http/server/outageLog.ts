import type { Logger } from "pino";
import { outageIn } from "./outage.js";

const quietMs = 10_000;
const mostReasons = 100;

interface Said {
  at: number;
  /** Answers since the last line. */
  unsaid: number;
}

const saidBy = new WeakMap<Logger, Map<string, Said>>();

/** An outage is one line, and every ten seconds one more with the number of answers, however many requests it meets. */
export function logUnavailable(logger: Logger, cause: unknown, context: Readonly<Record<string, unknown>>, now = performance.now()): void {
  const outage = outageIn(cause);
  if (!outage) {
    logger.warn({ ...context, err: cause }, "answered unavailable");
    return;
  }
  const said = saidBy.get(logger) ?? new Map<string, Said>();
  saidBy.set(logger, said);
  const reason = `${outage.store} ${outage.message}`;
  const last = said.get(reason);
  if (last && now - last.at < quietMs) {
    last.unsaid += 1;
    return;
  }
  if (said.size >= mostReasons) said.clear();
  said.set(reason, { at: now, unsaid: 0 });
  logger.warn({ ...context, ...(last?.unsaid ? { answersBefore: last.unsaid } : {}), err: cause }, "answered unavailable");
}
