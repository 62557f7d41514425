// Header rows are read while the uploader waits, and even a small workbook can take a second. They are read in threads, so that other requests
// are served meanwhile, and organisations take turns, so that one organisation's uploads do not hold up those of others.
import { Worker } from "node:worker_threads";
import { createPlaces } from "../../../places.js";
import type { HeaderReader } from "../../../ports/spreadsheets.js";
import { FileFault } from "../cell.js";
import type { HeaderReply, HeaderRequest } from "./headerThread.js";

/** The compiled program, also when this code runs from its sources in a test. */
const program = new URL("../../../../dist/adapters/spreadsheets/threads/headerThread.js", import.meta.url);
/** A header needs far less: what is unpacked for it is limited by `MAX_HEADER_INFLATED_BYTES`. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };
const idleMs = 30_000;

interface Thread {
  readonly worker: Worker;
  /** Called with the thread's next reply. */
  onReply: (reply: HeaderReply) => void;
  /** Ends the thread when it was idle for a while, or works on one header for too long. */
  timer: NodeJS.Timeout | undefined;
}

export interface HeaderThreads extends HeaderReader {
  close(): Promise<void>;
}

export interface HeaderThreadsOptions {
  readonly threads?: number;
  /** How long to wait for a free thread. */
  readonly waitMs?: number;
  /** How long a thread may read one header. */
  readonly runMs?: number;
}

export function createHeaderThreads({ threads = 2, waitMs = 20_000, runMs = 10_000 }: HeaderThreadsOptions = {}): HeaderThreads {
  const places = createPlaces({
    inAll: threads,
    each: Math.max(1, threads - 1), // one is always left for other organisations
    line: { each: Number.POSITIVE_INFINITY, ms: waitMs },
    refusal: `no thread was free to read a header row for ${waitMs / 1000} s`,
  });
  const all = new Set<Thread>();
  const idle: Thread[] = [];

  function startThread(): Thread {
    const worker = new Worker(program, { resourceLimits, env: {}, execArgv: [] });
    const thread: Thread = { worker, onReply: () => undefined, timer: undefined };
    worker.unref();
    worker.on("message", (reply: HeaderReply) => thread.onReply(reply));
    worker.on("error", (error: NodeJS.ErrnoException) => {
      endThread(thread);
      thread.onReply(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? { fault: tooMuchText } : { failure: error });
    });
    all.add(thread);
    return thread;
  }

  function endThread(thread: Thread): void {
    clearTimeout(thread.timer);
    all.delete(thread);
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
    void thread.worker.terminate();
  }

  const run = (request: HeaderRequest) =>
    new Promise<Extract<HeaderReply, { header: unknown } | { values: unknown }>>((resolve, reject) => {
      const thread = idle.pop() ?? startThread();
      clearTimeout(thread.timer);
      thread.timer = setTimeout(() => {
        endThread(thread);
        thread.onReply({ fault: tooSlow(runMs) });
      }, runMs).unref();
      thread.onReply = (reply) => {
        thread.onReply = () => undefined;
        clearTimeout(thread.timer);
        if (all.has(thread)) rest(thread);
        if ("header" in reply || "values" in reply) resolve(reply);
        else reject("fault" in reply ? new FileFault(reply.fault) : reply.failure);
      };
      thread.worker.postMessage(request);
    });

  function rest(thread: Thread): void {
    idle.push(thread);
    thread.timer = setTimeout(() => endThread(thread), idleMs).unref();
  }

  return {
    async read(organisationId, { path, name }) {
      const reply = await places.within(organisationId, () => run({ path, name, what: "header" }));
      if ("header" in reply) return reply.header;
      throw new Error("a thread answered a question that was not asked");
    },
    async values(organisationId, { path, name }) {
      const reply = await places.within(organisationId, () => run({ path, name, what: "values" }));
      return "values" in reply ? reply.values : [];
    },
    close: async () => {
      for (const thread of all) clearTimeout(thread.timer);
      await Promise.all([...all].map(({ worker }) => worker.terminate()));
    },
  };
}

const tooMuchText = "The workbook holds too much text to be read. Save it as .csv and upload that.";

const tooSlow = (ms: number) =>
  `The header row could not be read within ${ms / 1000} seconds. Upload the file again; if it is a workbook, save it as .csv first.`;
