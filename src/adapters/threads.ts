// Threads for work that would hold up the event loop. A thread answers one request at a time; the caller bounds how many are asked at once.
import { once } from "node:events";
import { type ResourceLimits, Worker } from "node:worker_threads";
import { withTimeLimit } from "../timeLimit.js";

export interface ThreadsOptions {
  /** The compiled program, also when this code runs from its sources in a test. It answers each message with one message. */
  readonly program: URL;
  /** How long a thread may work on one request. Then it is ended. */
  readonly runMs: number;
  readonly resourceLimits?: ResourceLimits;
}

export class ThreadTooSlow extends Error {}

const idleMs = 30_000;

export function createThreads<Request, Reply>({ program, runMs, resourceLimits = {} }: ThreadsOptions) {
  const all = new Set<Worker>();
  /** Each with the timer that ends it. */
  const idle = new Map<Worker, NodeJS.Timeout>();

  function end(worker: Worker): void {
    all.delete(worker);
    idle.delete(worker);
    void worker.terminate();
  }

  function take(): Worker {
    for (const [worker, timer] of idle) {
      clearTimeout(timer);
      idle.delete(worker);
      return worker;
    }
    const worker = new Worker(program, { resourceLimits, env: {}, execArgv: [] });
    worker.on("error", () => end(worker));
    all.add(worker);
    return worker;
  }

  return {
    /** Rejects with the error that has ended the thread, or with ThreadTooSlow. */
    async ask(request: Request): Promise<Reply> {
      const worker = take();
      worker.ref();
      worker.postMessage(request);
      const [reply] = await withTimeLimit(runMs, once(worker, "message"), () => {
        end(worker);
        throw new ThreadTooSlow(`no answer within ${runMs} ms`);
      });
      worker.unref(); // an idle thread keeps no process alive
      if (all.has(worker)) idle.set(worker, setTimeout(end, idleMs, worker).unref());
      return reply as Reply;
    },
    async close(): Promise<void> {
      for (const timer of idle.values()) clearTimeout(timer);
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}
