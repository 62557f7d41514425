// The figures of all organisations that /metrics and the readiness check show.
import type { Pool } from "pg";
import type { Database } from "../ports/database.js";

/** The number of queued and running imports of all organisations. */
export async function unfinishedImports(database: Database): Promise<number> {
  const { rows } = await database.query<{ count: number }>("select count(*)::int as count from import_queue");
  return rows[0]?.count ?? 0;
}

/**
 * Seconds since the tables were last up to date, by the database's clock; undefined before the first projector has run. A projection that
 * is new after an upgrade, and still being filled from the event log, does not count. Nor does the checkpoint of the webhook follower.
 */
export async function projectionLagSeconds(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ seconds: number | null }>(
    `select extract(epoch from now() - min(updated_at))::float8 as seconds from checkpoints
      where projection <> 'webhooks' and commit >= coalesce((select commit from checkpoints where projection = 'imports'), commit)`,
  );
  const seconds = rows[0]?.seconds ?? undefined;
  return seconds === undefined ? undefined : Math.max(0, seconds);
}

const noDeliveries = { waiting: 0, delivered: 0, failed: 0, dropped: 0 };

/** The number of stored deliveries by status. */
export async function deliveriesByOutcome(pool: Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; deliveries: number }>(
    "select status, count(*)::int as deliveries from webhook_deliveries group by status",
  );
  return { ...noDeliveries, ...Object.fromEntries(rows.map(({ status, deliveries }) => [status, deliveries])) };
}

/**
 * The age of the oldest waiting delivery, or of the oldest event that has no delivery yet, by the database's clock; 0 if nothing waits.
 * Paused endpoints do not count. Events that a replay sends again (up to `again_until`) count only once their deliveries exist.
 */
export async function oldestUnsentSeconds(pool: Database): Promise<number> {
  const { rows } = await pool.query<{ seconds: number | null }>(
    `select extract(epoch from now() - min(oldest.created_at))::float8 as seconds
       from webhook_endpoints endpoint cross join lateral (
         (select created_at from webhook_deliveries delivery
           where delivery.endpoint_id = endpoint.endpoint_id and delivery.status = 'waiting' order by created_at limit 1)
         union all
         (select event.created_at from webhook_backlogs backlog join webhook_events event on event.organisation_id = endpoint.organisation_id
             and event.position > greatest(backlog.position, backlog.again_until, endpoint.added_position) and event.type = any(endpoint.events)
           where backlog.endpoint_id = endpoint.endpoint_id and backlog.next_at is not null order by event.position limit 1)) as oldest
      where endpoint.removed_at is null and endpoint.paused_at is null`,
  );
  return Math.max(0, rows[0]?.seconds ?? 0);
}
