import type { Logger } from "pino";
import { hideKeys } from "../../domain/apiKey.js";
import { Rejection } from "../../domain/rejection.js";
import { causesOf, StoreUnavailable, TooBusy } from "../../portErrors.js";
import type { Answer } from "./aroundRequest.js";
import { answerTable, Problem } from "./problem.js";

export const retryAfterOutageSeconds = 2;
const retryAfterFaultSeconds = 300;

/** Turns an error into the contract's answer. Only bugs and outages are logged, not the callers' mistakes. */
export function answerError(error: unknown, logger: Logger, context: Readonly<Record<string, unknown>>): Answer {
  const known = firstIn(error, isKnown);
  if (known instanceof Rejection) return plainAnswer(known.code, known.details ?? known.message);
  if (known instanceof Problem) return answerProblem(known, logger, context);
  if (known instanceof TooBusy) return answerProblem(new Problem("unavailable", known.message, { cause: known }), logger, context);
  if (known) return answerProblem(known.fault === "outage" ? outageProblem(error) : settingsProblem(error), logger, context);
  logger.error({ ...context, err: error }, "request failed");
  return plainAnswer("internal", "Something went wrong on our side. Quote the x-request-id of this answer when you report it");
}

const outageProblem = (cause: unknown) => new Problem("unavailable", "A store is unreachable at the moment, try again shortly", { cause });

/** An operator has to correct the service's settings; the log says which. */
const settingsProblem = (cause: unknown) =>
  new Problem(
    "unavailable",
    "The service cannot use one of its stores until its operator has mended that. Trying again soon does not help",
    {
      cause,
      headers: { "retry-after": String(retryAfterFaultSeconds) },
    },
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
  const shown = typeof message === "string" ? hideKeys(message) : message.map(hideKeys);
  return { status, body: { statusCode: status, message: shown, error } };
}

const isOutage = (error: Error): error is StoreUnavailable => error instanceof StoreUnavailable;
const isKnown = (error: Error): error is Rejection | Problem | TooBusy | StoreUnavailable =>
  error instanceof Rejection || error instanceof Problem || error instanceof TooBusy || isOutage(error);

const firstIn = <Found extends Error>(error: unknown, is: (error: Error) => error is Found): Found | undefined =>
  [...causesOf(error)].find(is);

export const outageIn = (error: unknown): StoreUnavailable | undefined => firstIn(error, isOutage);

const quietMs = 10_000;
const mostReasons = 100;

interface LoggedReason {
  at: number;
  /** Answers since the last line. */
  unsaid: number;
}

const saidBy = new WeakMap<Logger, Map<string, LoggedReason>>();

/** An outage is one line, and every ten seconds one more with the number of answers, however many requests it meets. */
export function logUnavailable(logger: Logger, cause: unknown, context: Readonly<Record<string, unknown>>, now = performance.now()): void {
  const outage = outageIn(cause);
  if (!outage) {
    logger.warn({ ...context, err: cause }, "answered unavailable");
    return;
  }
  const said = saidBy.get(logger) ?? new Map<string, LoggedReason>();
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
