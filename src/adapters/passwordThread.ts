// Runs Argon2id in a thread of its own with a low priority, so that requests to the API come first when the cores are busy.
import { getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { hashSync, type Options, verifySync } from "@node-rs/argon2";

export interface PasswordJob {
  readonly password: string;
  /** The hash to compare the password with. If it is undefined, the reply is the password's hash. */
  readonly storedHash?: string | undefined;
}

export type PasswordReply = { readonly answer: string | boolean } | { readonly failure: string };

/** 19 MiB, two passes, one lane: OWASP's recommended minimum. `algorithm: 2` is Argon2id; the library's const enum cannot be used here. */
const hashOptions: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };
const niceStep = 5;
const maxNice = 19;

// On Linux this changes the priority of the thread alone; elsewhere it would change that of the whole process.
if (process.platform === "linux") setPriority(Math.min(maxNice, getPriority() + niceStep));

parentPort?.on("message", ({ password, storedHash }: PasswordJob) => {
  let reply: PasswordReply;
  try {
    reply = { answer: storedHash === undefined ? hashSync(password, hashOptions) : verifySync(storedHash, password) };
  } catch (error) {
    reply = { failure: (error as Error).message };
  }
  parentPort?.postMessage(reply);
});
