// Threads for work that would hold up the event loop. Each answers one request at a time; the caller limits how many run at once.
import { once } from "node:events";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { withTimeLimit } from "../timeLimit.js";

export interface ThreadsOptions {
  /** The compiled program, also when this code runs from its sources in a test. It answers each message with one message. */
  readonly program: URL;
  /** How long a thread may work on one request before it is ended. */
  readonly runMs: number;
  readonly resourceLimits?: ResourceLimits;
}

export class ThreadTooSlow extends Error {}

const idleMs = 30_000;

export function createThreads<Request, Reply>({ program, runMs, resourceLimits = {} }: ThreadsOptions) {
  const threads = new Set<Worker>();
  /** The threads without a request, each with the timer that ends it. */
  const idle = new Map<Worker, NodeJS.Timeout>();

  function endThread(worker: Worker): void {
    threads.delete(worker);
    idle.delete(worker);
    void worker.terminate();
  }

  function takeThread(): Worker {
    for (const [worker, timer] of idle) {
      clearTimeout(timer);
      idle.delete(worker);
      return worker;
    }
    const worker = new Worker(program, { resourceLimits, env: {}, execArgv: [] });
    worker.on("error", () => endThread(worker));
    threads.add(worker);
    return worker;
  }

  return {
    /** Rejects with the error that has ended the thread, or with ThreadTooSlow. */
    async ask(request: Request): Promise<Reply> {
      const worker = takeThread();
      worker.ref();
      worker.postMessage(request);
      const [reply] = await withTimeLimit(runMs, once(worker, "message"), () => {
        endThread(worker);
        throw new ThreadTooSlow(`no answer within ${runMs} ms`);
      });
      worker.unref(); // an idle thread keeps no process alive
      if (threads.has(worker)) idle.set(worker, setTimeout(endThread, idleMs, worker).unref());
      return reply as Reply;
    },
    async close(): Promise<void> {
      for (const timer of idle.values()) clearTimeout(timer);
      await Promise.all([...threads].map((worker) => worker.terminate()));
    },
  };
}
