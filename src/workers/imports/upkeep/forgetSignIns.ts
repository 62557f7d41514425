import type { Pool } from "pg";
import { forgetFailures, forgetGuesses } from "../../../commands/members/signInPace.js";

/** Deletes what is kept of wrong passwords when its time is over, also where no further sign-in comes. */
export async function forgetSignIns({ pool }: { readonly pool: Pool }): Promise<void> {
  await forgetFailures(pool);
  await forgetGuesses(pool);
}
