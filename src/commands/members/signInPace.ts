// Wrong passwords make the next tries slower, and lock no account: an address that fails at an account waits longer and longer for that
// account alone; an account or an address that sees many failures is answered later, and still answered. Counted in the database,
// for all processes; each count is forgotten a quarter of an hour after its last failure.
import { hash } from "node:crypto";
import type { Pool } from "pg";

export interface Attempt {
  /** The e-mail in the form in which e-mails are compared. */
  readonly emailKey: string;
  readonly address: string;
}

/** How long an attempt waits, in milliseconds. `refuseMs`: the person has to try again after that time. `delayMs`: the answer comes after it. */
export type Pace = { readonly refuseMs: number } | { readonly delayMs: number };

export const paceLimits = { freeTries: 5, longestRefusalMs: 300_000, accountTries: 20, addressTries: 50, longestDelayMs: 2_000 } as const;
const forgottenAfter = "15 minutes";
const mostRows = 100_000;

const keysOf = ({ emailKey, address }: Attempt) => {
  const keyed = (kind: string, text: string) => hash("sha256", `${kind} ${text}`, "base64url");
  return { both: keyed("both", `${address} ${emailKey}`), account: keyed("account", emailKey), address: keyed("address", address) };
};

export async function paceOf(pool: Pool, attempt: Attempt): Promise<Pace> {
  const { both, account, address } = keysOf(attempt);
  const { rows } = await pool.query<{ key: string; failures: number; agoMs: number }>(
    `select key, failures, extract(epoch from now() - last_at)::float8 * 1000 as "agoMs" from sign_in_failures
      where key = any($1::text[]) and last_at > now() - interval '${forgottenAfter}'`,
    [[both, account, address]],
  );
  const of = (key: string) => rows.find((row) => row.key === key) ?? { failures: 0, agoMs: 0 };
  const refuseMs = refusalMs(of(both).failures) - of(both).agoMs;
  if (refuseMs > 0) return { refuseMs };
  const { accountTries, addressTries } = paceLimits;
  return { delayMs: Math.max(delayMs(of(account).failures, accountTries), delayMs(of(address).failures, addressTries)) };
}

/** A second after the free tries, doubling. */
const refusalMs = (failures: number): number =>
  failures < paceLimits.freeTries ? 0 : Math.min(1000 * 2 ** Math.min(failures - paceLimits.freeTries, 20), paceLimits.longestRefusalMs);

const delayMs = (failures: number, free: number): number =>
  failures < free ? 0 : Math.min((250 * failures) / free, paceLimits.longestDelayMs);

export async function countFailure(pool: Pool, attempt: Attempt): Promise<void> {
  const { both, account, address } = keysOf(attempt);
  await pool.query(
    `insert into sign_in_failures (key, failures, last_at) select key, 1, now() from unnest($1::text[]) as key order by key
     on conflict (key) do update set last_at = now(),
       failures = case when sign_in_failures.last_at > now() - interval '${forgottenAfter}' then least(sign_in_failures.failures + 1, 1000000) else 1 end`,
    [[both, account, address]],
  );
  await forgetOld(pool);
}

/** A right password clears the count of this address at this account; the account's count of failures from all addresses stays. */
export async function forgetFailures(pool: Pool, attempt: Attempt): Promise<void> {
  await pool.query("delete from sign_in_failures where key = $1", [keysOf(attempt).both]);
}

let untilSweep = 0;

/** Every hundredth call deletes expired counts, and the oldest counts where there are too many. */
async function forgetOld(pool: Pool): Promise<void> {
  untilSweep -= 1;
  if (untilSweep > 0) return;
  untilSweep = 100;
  await pool.query(
    `delete from sign_in_failures where last_at < now() - interval '${forgottenAfter}'
        or key in (select key from sign_in_failures order by last_at desc offset ${mostRows})`,
  );
}
