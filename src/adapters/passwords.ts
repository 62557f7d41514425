// Hashes passwords off the event loop, one at a time. Each hash takes a core and 19 MiB for some 20 ms.
import { randomUUID } from "node:crypto";
import { dictionary } from "@zxcvbn-ts/language-common";
import type { Passwords } from "../ports/people.js";
import { recentLoads } from "../recentValues.js";
import { createSlots } from "../slots.js";
import type { PasswordJob, PasswordReply } from "./passwordThread.js";
import { createThreads } from "./threads.js";

const threadProgram = new URL("../../dist/adapters/passwordThread.js", import.meta.url);
const timeLimitMs = 60_000; // for the wait, and again for the work

export function createPasswords({ maxWaiters = 50 } = {}): Passwords {
  const threads = createThreads<PasswordJob, PasswordReply>({ program: threadProgram, runMs: timeLimitMs });
  const slots = createSlots({
    maxHeld: 1,
    maxPerOwner: 1,
    queue: { maxPerOwner: maxWaiters, maxWaitMs: timeLimitMs },
    refusal: "Too many passwords are being checked, try again shortly",
  });
  const ask = async (job: PasswordJob): Promise<string | boolean> => {
    const reply = await slots.withSlot("all", () => threads.ask(job));
    if ("failure" in reply) throw new Error(`a password could not be hashed: ${reply.failure}`);
    return reply.answer;
  };
  const hash = async (password: string): Promise<string> => String(await ask({ password }));
  /** Hashes once. For an unknown e-mail the password is compared with this hash, so that the answer takes as long. */
  const placeholderHash = recentLoads<string>(1);
  let commonPasswords: ReadonlySet<string> | undefined;
  return {
    hash,
    matches: async (password, storedHash) => {
      const comparedHash = storedHash ?? (await placeholderHash("", () => hash(randomUUID())));
      return (await ask({ password, storedHash: comparedHash })) === true && storedHash !== undefined;
    },
    isCommon: (lowerCase) => {
      commonPasswords ??= new Set(dictionary["passwords-common"]);
      return commonPasswords.has(lowerCase);
    },
  };
}
