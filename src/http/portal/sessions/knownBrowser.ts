// A browser in which a member has signed in before: other people's wrong passwords do not slow it down.
import { randomBytes } from "node:crypto";
import type { Context } from "hono";
import { z } from "zod";
import type { KnownBrowser } from "../../../commands/members/signIn.js";
import { makeToken } from "../../../domain/members.js";
import { knownCookie } from "./cookies.js";
import { readSignedValue, signValue } from "./signedValue.js";

interface KnownDeps {
  readonly publicUrl: string;
  readonly signingSecret: string;
}

const days = 180;
const mostMembers = 10;
const purpose = "known browser";
const known = z.object({ browser: z.string(), memberIds: z.array(z.uuid()) });

export function knownBrowser({ publicUrl, signingSecret }: KnownDeps, c: Context): KnownBrowser | undefined {
  const found = known.safeParse(readSignedValue(signingSecret, purpose, knownCookie(publicUrl, 0).read(c), new Date()));
  return found.success ? found.data : undefined;
}

/** Called at each sign-in. The browser keeps its number; of more members than it has room for, those of the last sign-ins stay. */
export function rememberBrowser(deps: KnownDeps, c: Context, memberId: string): void {
  const { browser, memberIds } = knownBrowser(deps, c) ?? { browser: makeToken(randomBytes), memberIds: [] };
  const value = { browser, memberIds: [memberId, ...memberIds.filter((each) => each !== memberId)].slice(0, mostMembers) };
  const seconds = days * 86_400;
  knownCookie(deps.publicUrl, seconds).write(c, signValue(deps.signingSecret, purpose, value, new Date(Date.now() + seconds * 1000)));
}
