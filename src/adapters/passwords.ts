// Argon2id off the event loop, one password at a time: each takes a core and 19 MiB for some 20 ms.
import { randomUUID } from "node:crypto";
import { Worker } from "node:worker_threads";
import { dictionary } from "@zxcvbn-ts/language-common";
import { TooBusy } from "../portErrors.js";
import type { Passwords } from "../ports/people.js";
import type { PasswordJob, PasswordReply } from "./passwordThread.js";

/** The compiled program, also when this code runs from its sources in a test. */
const program = new URL("../../dist/adapters/passwordThread.js", import.meta.url);

export function createPasswords({ mostWaiting = 50 } = {}): Passwords {
  const ask = createThread(mostWaiting);
  /** For an unknown e-mail the password is compared with this hash, so that the answer takes as long. */
  let placeholder: Promise<string> | undefined;
  let common: ReadonlySet<string> | undefined;
  const hash = async (password: string): Promise<string> => {
    const reply = await ask({ password });
    return "hash" in reply ? reply.hash : "";
  };
  const makePlaceholder = () =>
    hash(randomUUID()).catch((error: unknown) => {
      placeholder = undefined;
      throw error;
    });
  return {
    hash,
    matches: async (password, known) => {
      if (known === undefined) placeholder ??= makePlaceholder();
      const reply = await ask({ password, known: known ?? (await placeholder) });
      return "same" in reply && reply.same && known !== undefined;
    },
    isCommon: (password) => {
      common ??= new Set(dictionary["passwords-common"]);
      return common.has(password);
    },
  };
}

interface Waiting {
  readonly resolve: (reply: PasswordReply) => void;
  readonly reject: (error: Error) => void;
}

/** A thread that the first job starts. It does one job after the other, in their order; more than `mostWaiting` waiting jobs are refused. */
function createThread(mostWaiting: number): (job: Omit<PasswordJob, "id">) => Promise<PasswordReply> {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let jobs = 0;

  function settle(reply: PasswordReply): void {
    const one = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0) worker?.unref(); // an idle thread keeps no process alive
    if ("failure" in reply) one?.reject(new Error(`a password could not be hashed: ${reply.failure}`));
    else one?.resolve(reply);
  }

  /** The thread has failed. The next job starts another one. */
  function lose(error: Error): void {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  function start(): Worker {
    const started = new Worker(program, { env: {}, execArgv: [] });
    started.on("message", settle);
    started.on("error", lose);
    return started;
  }

  return (job) => {
    if (waiting.size > mostWaiting) return Promise.reject(new TooBusy("Too many people sign in at this moment, try again shortly"));
    worker ??= start();
    worker.ref();
    const id = ++jobs;
    const answered = new Promise<PasswordReply>((resolve, reject) => waiting.set(id, { resolve, reject }));
    worker.postMessage({ id, ...job });
    return answered;
  };
}
