import { TooBusy } from "../../portErrors.js";
import type { FormResult, Line, PortalDeps, Visit, Work } from "./pageDefinition.js";
import { errorAnswer, messagesOf } from "./pageResponse.js";

const linesType = "application/x-ndjson";

/** Whether a script sends the form, and reads what becomes of it. */
export const wantsLines = ({ req }: Visit["context"]): boolean => req.header("accept") === linesType;

/** A connection that is silent for a minute is ended, by this server and by many proxies. */
const repeatMs = 10_000;

/** Aborts when the page that asked was left. */
export function pageLeft({ env }: Visit["context"]): AbortController {
  const left = new AbortController();
  const leave = () => left.abort(new Error("the page was left"));
  if (env?.outgoing?.destroyed) leave(); // while the request was being read
  env?.outgoing?.once("close", leave);
  return left;
}

/** A browser without scripts shows nothing until the answer, and the server ends a connection that is silent for a minute. */
const plainFormMs = 50_000;

/** For a browser without scripts. */
export async function waitForWork({ context }: Visit, { closing }: PortalDeps, { work, tooSlow }: Work): Promise<FormResult> {
  const signal = AbortSignal.any([closing, pageLeft(context).signal, AbortSignal.timeout(plainFormMs)]);
  return work(() => undefined, signal).catch((error: unknown) => {
    throw signal.aborted ? new TooBusy(tooSlow, { cause: error }) : error;
  });
}

/**
 * An answer whose work takes a while: lines of JSON while it goes on, and a last one at its end. The signal aborts when the page was left or the
 * service stops. An error that `work` throws becomes the last line.
 */
export function answerInLines({ context: c, requestId }: Visit, { closing, logger, links }: PortalDeps, work: Work["work"]): Response {
  const left = pageLeft(c);
  const signal = AbortSignal.any([left.signal, closing]);
  const text = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      let latest: Line | undefined;
      const send = (line: Line) => {
        latest = line;
        if (!left.signal.aborted) controller.enqueue(text.encode(`${JSON.stringify(line)}\n`));
      };
      const repeat = setInterval(() => latest && send(latest), repeatMs);
      const failed = (error: unknown): Line => {
        if (signal.aborted) return { error: "The service is stopping. Try again in a moment." };
        return { error: messagesOf(errorAnswer(c, error, logger)).join(" ") };
      };
      void work(send, signal)
        .then(({ goTo }): Line => ({ goTo: links.to(goTo) }), failed)
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
