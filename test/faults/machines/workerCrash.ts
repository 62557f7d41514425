// A worker that dies at a given point, and what follows without waiting for it.
import { until } from "../../support/processes.js";
import { startWorker } from "../../support/roles.js";
import type { TestService } from "../../support/service.js";
import { type CrashPoint, mortal } from "./mortal.js";

export async function dieAt(service: TestService, point: CrashPoint): Promise<void> {
  const victim = mortal(service, point);
  const dying = startWorker(victim.service);
  try {
    await until("the worker has died", async () => victim.died());
  } finally {
    await dying.stop();
  }
}

/** Ends the turns, places and claims that a dead worker still holds, as time would. */
export async function letTimePass({ pool }: TestService): Promise<void> {
  await pool.query("update organisation_turns set expires_at = now() where expires_at is not null");
  await pool.query("update import_queue set reserved_at = reserved_at - interval '2 minutes', not_before = null");
  await pool.query("update late_reports set claimed_until = now() - interval '1 second'");
}
