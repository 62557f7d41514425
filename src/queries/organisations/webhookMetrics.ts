import type { Pool } from "pg";

const none = { waiting: 0, delivered: 0, failed: 0, dropped: 0 };

/** Deliveries that are kept, by what became of them. */
export async function deliveriesByOutcome(pool: Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; deliveries: number }>(
    "select status, count(*)::int as deliveries from webhook_deliveries group by status",
  );
  return { ...none, ...Object.fromEntries(rows.map(({ status, deliveries }) => [status, deliveries])) };
}

/** The age of the oldest delivery that waits, by the database's clock; 0 where none waits. Deliveries to paused endpoints do not count. */
export async function oldestUnsentSeconds(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number | null }>(
    `select extract(epoch from now() - min(oldest.created_at))::float8 as seconds
       from webhook_endpoints endpoint cross join lateral (
         select created_at from webhook_deliveries delivery
          where delivery.endpoint_id = endpoint.endpoint_id and delivery.status = 'waiting' order by created_at limit 1) as oldest
      where endpoint.removed_at is null and endpoint.paused_at is null`,
  );
  return Math.max(0, rows[0]?.seconds ?? 0);
}
