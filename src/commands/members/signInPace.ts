// Slows down the guessing of passwords. An IP address that fails at an account waits longer and longer for that account. An address that
// fails often, at any account, is answered later. An account has an hourly budget of wrong passwords from all addresses together. A browser
// that has signed in to the account before has counts and a budget of its own, so that other people's guesses do not keep it out. The
// database counts for all processes. A count of failures expires a quarter of an hour after the last failure.
import { createHmac } from "node:crypto";
import type { Pool } from "pg";

export interface SignInAttempt {
  /** The e-mail in the form in which e-mails are compared. */
  readonly emailKey: string;
  readonly address: string;
  /** The browser, if this e-mail has signed in with it before. */
  readonly browser?: string | undefined;
  /** The key of the hashes, without which nobody can test e-mails against them. */
  readonly secret: string;
}

/** `refuseMs`: the attempt is refused, and the person can try again after this time. `delayMs`: the answer comes after this time. */
export type Pace = { readonly refuseMs: number } | { readonly delayMs: number };

export const paceLimits = { freeTries: 5, maxRefusalMs: 300_000, addressTries: 50, maxDelayMs: 2_000 } as const;
const failureLifetime = "15 minutes";
const maxFailureRows = 100_000;

export const hashEmail = (secret: string, purpose: string, emailKey: string): string =>
  createHmac("sha256", secret).update(`sign-in ${purpose}\n${emailKey}`).digest("base64url");

/** `pairKey`: this browser or address at this account. `addressKey`: the address at any account; absent for a known browser. */
function keysOf({ emailKey, address, browser, secret }: SignInAttempt): { pairKey: string; addressKey?: string } {
  if (browser !== undefined) return { pairKey: hashEmail(secret, `browser ${browser}`, emailKey) };
  return { pairKey: hashEmail(secret, `address ${address}`, emailKey), addressKey: hashEmail(secret, "address", address) };
}

export async function paceOf(pool: Pool, attempt: SignInAttempt): Promise<Pace> {
  const { pairKey, addressKey } = keysOf(attempt);
  const { rows } = await pool.query<{ key: string; failures: number; agoMs: number }>(
    `select key, failures, extract(epoch from now() - last_at)::float8 * 1000 as "agoMs" from sign_in_failures
      where key = any($1::text[]) and last_at > now() - interval '${failureLifetime}'`,
    [[pairKey, addressKey]],
  );
  const failuresOf = (key: string | undefined) => rows.find((row) => row.key === key) ?? { failures: 0, agoMs: 0 };
  const refuseMs = refusalMs(failuresOf(pairKey).failures) - failuresOf(pairKey).agoMs;
  return refuseMs > 0 ? { refuseMs } : { delayMs: addressDelayMs(failuresOf(addressKey).failures, paceLimits.addressTries) };
}

/** How long a pair is refused after its last failure: one second after the free tries, then twice as long after each failure. */
const refusalMs = (failures: number): number =>
  failures < paceLimits.freeTries ? 0 : Math.min(1000 * 2 ** Math.min(failures - paceLimits.freeTries, 20), paceLimits.maxRefusalMs);

/** How much later an address is answered: in proportion to its failures, from a quarter of a second. */
const addressDelayMs = (failures: number, freeTries: number): number =>
  failures < freeTries ? 0 : Math.min((250 * failures) / freeTries, paceLimits.maxDelayMs);

export async function countFailure(pool: Pool, attempt: SignInAttempt): Promise<void> {
  await pool.query(
    `insert into sign_in_failures (key, failures, last_at) select key, 1, now() from unnest($1::text[]) as key order by key
     on conflict (key) do update set last_at = now(),
       failures = case when sign_in_failures.last_at > now() - interval '${failureLifetime}' then least(sign_in_failures.failures + 1, 1000000) else 1 end`,
    [Object.values(keysOf(attempt))],
  );
  failuresUntilSweep -= 1;
  if (failuresUntilSweep > 0) return;
  failuresUntilSweep = 100;
  await forgetFailures(pool);
}

let failuresUntilSweep = 0;

/** Called after a correct password. Clears the count of this browser or address at this account. */
export async function clearFailures(pool: Pool, attempt: SignInAttempt): Promise<void> {
  await pool.query("delete from sign_in_failures where key = $1", [keysOf(attempt).pairKey]);
}

/** Deletes expired counts, and the oldest counts if there are too many. Every hundredth failure and the worker call it. */
export async function forgetFailures(pool: Pool): Promise<void> {
  await pool.query(
    `delete from sign_in_failures where last_at < now() - interval '${failureLifetime}'
        or key in (select key from sign_in_failures order by last_at desc offset ${maxFailureRows})`,
  );
}

export const guessesPerHour = { account: 100, knownBrowser: 20 } as const;

/** `at`: when the guess was taken, which identifies it in the budget. `waitSeconds`: the budget is used up for so long. */
export type Guess = { readonly key: string; readonly at: string } | { readonly waitSeconds: number };

/**
 * Takes a guess from the budget before the password is checked, so that simultaneous guesses cannot exceed the budget. The caller gives the
 * guess back if the password is correct or was not checked. An unknown e-mail has the same budget.
 */
export async function takeGuess(pool: Pool, { emailKey, browser, secret }: SignInAttempt): Promise<Guess> {
  const key = hashEmail(secret, browser === undefined ? "budget" : `budget ${browser}`, emailKey);
  const maxGuesses = browser === undefined ? guessesPerHour.account : guessesPerHour.knownBrowser;
  const { rows } = await pool.query<{ at: string }>(
    `insert into sign_in_guesses as known (key, guessed_at) values ($1, array[clock_timestamp()])
     on conflict (key) do update set guessed_at = array(select each from unnest(known.guessed_at) as each
         where each > now() - interval '1 hour' order by each) || excluded.guessed_at
       where (select count(*) from unnest(known.guessed_at) as each where each > now() - interval '1 hour') < $2
     returning guessed_at[cardinality(guessed_at)]::text as at`,
    [key, maxGuesses],
  );
  const at = rows[0]?.at;
  return at === undefined ? { waitSeconds: await secondsLeft(pool, key) } : { key, at };
}

/** How long it is until the oldest guess of the hour is an hour old. */
async function secondsLeft(pool: Pool, key: string): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `select ceil(extract(epoch from min(each) + interval '1 hour' - now()))::int as seconds
       from sign_in_guesses, unnest(guessed_at) as each where key = $1 and each > now() - interval '1 hour'`,
    [key],
  );
  return Math.max(1, rows[0]?.seconds ?? 1);
}

export async function giveBackGuess(pool: Pool, { key, at }: Extract<Guess, { key: string }>): Promise<void> {
  await pool.query("update sign_in_guesses set guessed_at = array_remove(guessed_at, $2::timestamptz) where key = $1", [key, at]);
}

export async function forgetGuesses(pool: Pool): Promise<void> {
  await pool.query(
    "delete from sign_in_guesses where coalesce(guessed_at[cardinality(guessed_at)], '-infinity') < now() - interval '1 hour'",
  );
}
