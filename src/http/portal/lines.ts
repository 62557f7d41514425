// Runs a form's long work: a script gets its progress line by line, as NDJSON, and a browser without scripts gets one answer at the end.
import { TooBusy } from "../../portErrors.js";
import type { FormResult, PortalDeps, Visit, Work, WorkUpdate } from "./pageDefinition.js";
import { errorAnswer, messagesOf } from "./pageResponse.js";

const linesType = "application/x-ndjson";

/** Whether a script has sent the form and reads the answer line by line. */
export const wantsLines = ({ req }: Visit["context"]): boolean => req.header("accept") === linesType;

/** The latest line is sent again so often. This server and many proxies close a connection that is silent for a minute. */
const repeatMs = 10_000;

/** Returns a controller that aborts when the visitor leaves the page that sent the request. */
export function abortOnPageLeft({ env }: Visit["context"]): AbortController {
  const controller = new AbortController();
  const leave = () => controller.abort(new Error("the page was left"));
  if (env?.outgoing?.destroyed) leave(); // the visitor left while the request was being read
  env?.outgoing?.once("close", leave);
  return controller;
}

/** The longest that a browser without scripts waits for its answer: the server closes a connection that is silent for a minute. */
const maxWaitMs = 50_000;

/** Runs the work for a browser without scripts. */
export async function waitForWork({ context }: Visit, { closing }: PortalDeps, { work, tooSlow }: Work): Promise<FormResult> {
  const signal = AbortSignal.any([closing, abortOnPageLeft(context).signal, AbortSignal.timeout(maxWaitMs)]);
  return work(() => undefined, signal).catch((error: unknown) => {
    throw signal.aborted ? new TooBusy(tooSlow, { cause: error }) : error;
  });
}

/**
 * Answers a script with lines of JSON: progress while the work goes on, and at last its result or its error. The signal given to `work`
 * aborts when the page is left or the service stops.
 */
export function answerInLines({ context: c, requestId }: Visit, { closing, logger, links }: PortalDeps, work: Work["work"]): Response {
  const left = abortOnPageLeft(c);
  const signal = AbortSignal.any([left.signal, closing]);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      let latest: WorkUpdate | undefined;
      const send = (line: WorkUpdate) => {
        latest = line;
        if (!left.signal.aborted) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
      };
      const repeat = setInterval(() => latest && send(latest), repeatMs);
      const errorLine = (error: unknown): WorkUpdate => {
        if (signal.aborted) return { error: "The service is stopping. Try again in a moment." };
        return { error: messagesOf(errorAnswer(c, error, logger)).join(" ") };
      };
      void work(send, signal)
        .then(({ goTo }): WorkUpdate => ({ goTo: links.to(goTo) }), errorLine)
        .finally(() => clearInterval(repeat))
        .then((line) => {
          send(line);
          if (!left.signal.aborted) controller.close();
        })
        .catch((error: unknown) => logger.debug({ err: error, requestId }, "the browser left before the end of an answer in lines"));
    },
    cancel: () => left.abort(),
  });
  return c.body(body, 200, { ...c.get("answerHeaders"), "content-type": linesType, "x-accel-buffering": "no" });
}
