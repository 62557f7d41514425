import type { Pool } from "pg";

/** Asks the workers to make an import's error report again; false when the import has none. Asking twice leads to one report. */
export async function askForReport(pool: Pool, importId: string): Promise<boolean> {
  const asked = await pool.query<{ known: boolean }>(
    `with wanted as (
       select import_id from imports where import_id = $1 and status in ('completed', 'cancelled', 'failed') and failed > 0
     ), asked as (
       insert into late_reports as mine (import_id, attempts, claimed_until) select import_id, 0, now() from wanted
       on conflict (import_id) do update set report_key = null, attempts = 0, claimed_until = now() where mine.report_key is not null
     )
     select exists (select from wanted) as known`,
    [importId],
  );
  return asked.rows[0]?.known ?? false;
}
