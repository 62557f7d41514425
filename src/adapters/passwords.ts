// Argon2id off the event loop, one password at a time: each takes a core and 19 MiB for some 20 ms.
import { randomUUID } from "node:crypto";
import { dictionary } from "@zxcvbn-ts/language-common";
import type { Passwords } from "../ports/people.js";
import { recentLoads } from "../recentValues.js";
import { createSlots } from "../slots.js";
import type { PasswordJob, PasswordReply } from "./passwordThread.js";
import { createThreads } from "./threads.js";

const program = new URL("../../dist/adapters/passwordThread.js", import.meta.url);
const longestMs = 60_000;

export function createPasswords({ mostWaiting = 50 } = {}): Passwords {
  const threads = createThreads<PasswordJob, PasswordReply>({ program, runMs: longestMs });
  const slots = createSlots({
    inAll: 1,
    each: 1,
    line: { each: mostWaiting, ms: longestMs },
    refusal: "Too many people sign in at this moment, try again shortly",
  });
  const ask = async (job: PasswordJob): Promise<string | boolean> => {
    const reply = await slots.within("all", () => threads.ask(job));
    if ("failure" in reply) throw new Error(`a password could not be hashed: ${reply.failure}`);
    return reply.answer;
  };
  const hash = async (password: string): Promise<string> => String(await ask({ password }));
  /** For an unknown e-mail the password is compared with this hash, so that the answer takes as long. */
  const placeholder = recentLoads<string>(1);
  let common: ReadonlySet<string> | undefined;
  return {
    hash,
    matches: async (password, stored) => {
      const compared = stored ?? (await placeholder("", () => hash(randomUUID())));
      return (await ask({ password, storedHash: compared })) === true && stored !== undefined;
    },
    isCommon: (password) => {
      common ??= new Set(dictionary["passwords-common"]);
      return common.has(password);
    },
  };
}
