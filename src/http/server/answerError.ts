import type { Logger } from "pino";
import { hideKeys } from "../../domain/apiKey.js";
import { Rejection } from "../../domain/rejection.js";
import { causesOf, StoreUnavailable, TooBusy } from "../../portErrors.js";
import { answerTable, Problem } from "./problem.js";
import type { Answer } from "./requestMiddleware.js";

export const retryAfterOutageSeconds = 2;
const retryAfterFaultSeconds = 300;

/** Turns an error into the contract's answer. Logs bugs and unavailable stores, but not the mistakes of callers. */
export function answerError(error: unknown, logger: Logger, context: Readonly<Record<string, unknown>>): Answer {
  const expected = firstCause(error, isExpected);
  if (expected instanceof Rejection) return plainAnswer(expected.code, expected.details ?? expected.message);
  if (expected instanceof Problem) return answerProblem(expected, logger, context);
  if (expected instanceof TooBusy) return answerProblem(new Problem("unavailable", expected.message, { cause: expected }), logger, context);
  if (expected) return answerProblem(expected.fault === "outage" ? outageProblem(error) : settingsProblem(error), logger, context);
  logger.error({ ...context, err: error }, "request failed");
  return plainAnswer("internal", "Something went wrong on our side. Quote the x-request-id of this answer when you report it");
}

const outageProblem = (cause: unknown) => new Problem("unavailable", "A store is unreachable at the moment, try again shortly", { cause });

/** The operator has to correct the service's settings; the log says which. */
const settingsProblem = (cause: unknown) =>
  new Problem(
    "unavailable",
    "The service cannot use one of its stores until its operator has corrected the configuration. Trying again soon does not help",
    { cause, headers: { "retry-after": String(retryAfterFaultSeconds) } },
  );

function answerProblem(problem: Problem, logger: Logger, context: Readonly<Record<string, unknown>>): Answer {
  const { headers, body, cause } = problem.extra;
  if (problem.code === "unavailable") {
    logUnavailable(logger, cause, context);
    return { ...plainAnswer("unavailable", problem.message), headers: { "retry-after": String(retryAfterOutageSeconds), ...headers } };
  }
  const answer = body === undefined ? plainAnswer(problem.code, problem.message) : { status: answerTable[problem.code].status, body };
  return headers === undefined ? answer : { ...answer, headers };
}

export function plainAnswer(code: keyof typeof answerTable, message: string | readonly string[]) {
  const { status, error } = answerTable[code];
  const safeMessage = typeof message === "string" ? hideKeys(message) : message.map(hideKeys);
  return { status, body: { statusCode: status, message: safeMessage, error } };
}

const isStoreUnavailable = (error: Error): error is StoreUnavailable => error instanceof StoreUnavailable;
const isExpected = (error: Error): error is Rejection | Problem | TooBusy | StoreUnavailable =>
  error instanceof Rejection || error instanceof Problem || error instanceof TooBusy || isStoreUnavailable(error);

const firstCause = <Found extends Error>(error: unknown, is: (error: Error) => error is Found): Found | undefined =>
  [...causesOf(error)].find(is);

export const unavailableStoreIn = (error: unknown): StoreUnavailable | undefined => firstCause(error, isStoreUnavailable);

const logIntervalMs = 10_000;
const maxReasons = 100;

interface LoggedReason {
  loggedAtMs: number;
  /** How many answers had this reason since the last log line. */
  unlogged: number;
}

const reasonsByLogger = new WeakMap<Logger, Map<string, LoggedReason>>();

/** Logs an unavailable store once, then at most every ten seconds with the number of answers in between. Logs other causes every time. */
export function logUnavailable(logger: Logger, cause: unknown, context: Readonly<Record<string, unknown>>, now = performance.now()): void {
  const unavailable = unavailableStoreIn(cause);
  if (!unavailable) {
    logger.warn({ ...context, err: cause }, "answered unavailable");
    return;
  }
  const reasons = reasonsByLogger.get(logger) ?? new Map<string, LoggedReason>();
  reasonsByLogger.set(logger, reasons);
  const reason = `${unavailable.store} ${unavailable.message}`;
  const last = reasons.get(reason);
  if (last && now - last.loggedAtMs < logIntervalMs) {
    last.unlogged += 1;
    return;
  }
  if (reasons.size >= maxReasons) reasons.clear();
  reasons.set(reason, { loggedAtMs: now, unlogged: 0 });
  logger.warn({ ...context, ...(last?.unlogged ? { answersBefore: last.unlogged } : {}), err: cause }, "answered unavailable");
}
