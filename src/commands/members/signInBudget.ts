// How many wrong passwords of an account are looked at in any hour, by all processes together, however many addresses they come from. A
// guess is taken from the budget before the password is looked at, so that guesses at the same moment cannot share a place; a right password
// gives it back. An unknown e-mail has the same budget.
import type { Pool } from "pg";
import { type Attempt, hashEmail } from "./signInPace.js";

export const guessesPerHour = { account: 100, knownBrowser: 20 } as const;

export type Guess = { readonly key: string; readonly at: string } | { readonly waitSeconds: number };

export async function takeGuess(pool: Pool, { emailKey, browser, secret }: Attempt): Promise<Guess> {
  const key = hashEmail(secret, browser === undefined ? "budget" : `budget ${browser}`, emailKey);
  const most = browser === undefined ? guessesPerHour.account : guessesPerHour.knownBrowser;
  const { rows } = await pool.query<{ at: string }>(
    `insert into sign_in_guesses as known (key, guessed_at) values ($1, array[clock_timestamp()])
     on conflict (key) do update set guessed_at = array(select each from unnest(known.guessed_at) as each
         where each > now() - interval '1 hour' order by each) || excluded.guessed_at
       where (select count(*) from unnest(known.guessed_at) as each where each > now() - interval '1 hour') < $2
     returning guessed_at[cardinality(guessed_at)]::text as at`,
    [key, most],
  );
  const at = rows[0]?.at;
  return at === undefined ? { waitSeconds: await secondsLeft(pool, key) } : { key, at };
}

/** Until the oldest guess of the hour is an hour old. */
async function secondsLeft(pool: Pool, key: string): Promise<number> {
  const { rows } = await pool.query<{ seconds: number }>(
    `select ceil(extract(epoch from min(each) + interval '1 hour' - now()))::int as seconds
       from sign_in_guesses, unnest(guessed_at) as each where key = $1 and each > now() - interval '1 hour'`,
    [key],
  );
  return Math.max(1, rows[0]?.seconds ?? 1);
}

export async function giveBack(pool: Pool, { key, at }: Extract<Guess, { key: string }>): Promise<void> {
  await pool.query("update sign_in_guesses set guessed_at = array_remove(guessed_at, $2::timestamptz) where key = $1", [key, at]);
}

export async function forgetGuesses(pool: Pool): Promise<void> {
  await pool.query(
    "delete from sign_in_guesses where coalesce(guessed_at[cardinality(guessed_at)], '-infinity') < now() - interval '1 hour'",
  );
}
