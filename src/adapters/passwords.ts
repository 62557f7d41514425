// Argon2id, on threads beside the event loop. Few at once: each takes a core and 19 MiB for some 20 ms, and the API's requests come first.
import { randomUUID } from "node:crypto";
import { availableParallelism } from "node:os";
import { hash, type Options, verify } from "@node-rs/argon2";
import { dictionary } from "@zxcvbn-ts/language-common";
import { TooBusy } from "../portErrors.js";
import type { Passwords } from "../ports.js";

/** 19 MiB, two passes, one lane: the smallest that OWASP names. The library's `Algorithm` cannot be named here: it is a const enum; 2 is Argon2id. */
const cost: Options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };

export function createPasswords({ atOnce = availableParallelism() > 2 ? 2 : 1, mostWaiting = 50 } = {}): Passwords {
  const inLine = createLine(atOnce, mostWaiting);
  /** Compared with where the e-mail is unknown, so that the answer takes as long. */
  let placeholder: Promise<string> | undefined;
  let common: ReadonlySet<string> | undefined;
  return {
    hash: (password) => inLine(() => hash(password, cost)),
    matches: (password, known) =>
      inLine(async () => {
        placeholder ??= hash(randomUUID(), cost);
        const same = await verify(known ?? (await placeholder), password);
        return same && known !== undefined;
      }),
    isCommon: (password) => {
      common ??= new Set(dictionary["passwords-common"]);
      return common.has(password);
    },
  };
}

function createLine(atOnce: number, mostWaiting: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) running += 1;
    else {
      if (waiting.length >= mostWaiting) throw new TooBusy("Too many people sign in at this moment, try again shortly");
      await new Promise<void>((go) => waiting.push(go)); // its place is handed on
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
