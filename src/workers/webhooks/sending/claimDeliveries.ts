// Claims the deliveries to send next. One process claims at a time, so that the limits per endpoint apply to all processes together.
import { secretOverlapHours } from "../../../domain/webhooks/endpoint.js";
import type { WebhookWorkerDeps } from "../deps.js";
import { chooseDeliveries, claimSeconds, type FreeSlots, type SendingSlot } from "./chooseDeliveries.js";
import { fillDeliveries } from "./fillDeliveries.js";

export interface ClaimedDelivery {
  readonly id: string;
  readonly claim: string; // the id of the worker that has claimed the delivery
  readonly endpointId: string;
  readonly organisationId: string;
  readonly eventId: string;
  readonly type: string;
  readonly importId: string | null;
  readonly revision: string | null;
  readonly occurredAt: Date;
  /** This delivery's failures since it was last restarted. */
  readonly failures: number;
  /** The endpoint's failures in a row. */
  readonly endpointFailures: number;
  readonly slot: SendingSlot;
  readonly url: string;
  readonly generation: number; // of the endpoint's newest secret
  /** The oldest generation that signs too: an earlier one for a day after a rotation, otherwise the newest. */
  readonly signsFrom: number;
  /** The time of the claim, by the database's clock. */
  readonly now: Date;
  /** `performance.now()` before the claim: no other process takes the delivery within `claimSeconds` of it. */
  readonly claimStartedAt: number;
}

type ClaimedRow = Omit<ClaimedDelivery, "slot" | "claimStartedAt">;

const claimLock = 7_241_005; // any number that nothing else in this database locks

/**
 * A delivery waits only for earlier deliveries of the same import to the same endpoint. Endpoints that work come first, those that hang or
 * fail never take all slots, and organisations are served in rotation. Returns undefined while another process claims.
 */
export function claimDeliveries({ inTransaction, workerId }: Pick<WebhookWorkerDeps, "inTransaction" | "workerId">, slots: FreeSlots) {
  const claimStartedAt = performance.now();
  return inTransaction(async (client) => {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_xact_lock(${claimLock}) as taken`);
    if (!rows[0]?.taken) return undefined;
    await client.query(useIndexesSql);
    await fillDeliveries(client);
    const chosen = await chooseDeliveries(client, slots);
    if (chosen.size === 0) return [];
    // A separate statement: within one, Postgres guesses how many deliveries are chosen, and joins all waiting ones if it guesses wrong.
    const { rows: claimed } = await client.query<ClaimedRow>(claimSql, [workerId, [...chosen.keys()]]);
    return claimed.map((row): ClaimedDelivery => ({ ...row, claimStartedAt, slot: chosen.get(row.id) ?? "failing" }));
  });
}

/** Makes Postgres look up every endpoint by an index, even while its statistics say that the tables are small. */
const useIndexesSql = "set local enable_seqscan = off; set local enable_sort = off; set local jit = off";

const claimSql = `
  update webhook_deliveries delivery set claim = $1, due_at = now() + interval '${claimSeconds} seconds'
    from webhook_endpoints endpoint left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
   where delivery.id = any($2::bigint[]) and endpoint.endpoint_id = delivery.endpoint_id and delivery.status = 'waiting'
     and endpoint.removed_at is null and delivery.due_at <= now()
  returning delivery.id::text, delivery.claim, delivery.endpoint_id as "endpointId", delivery.organisation_id as "organisationId",
    delivery.event_id as "eventId", delivery.type, delivery.import_id as "importId", delivery.revision::text,
    delivery.occurred_at as "occurredAt", delivery.failures, coalesce(health.failures, 0) as "endpointFailures", endpoint.url,
    endpoint.generation, now() as now, case when endpoint.rotated_at > now() - interval '${secretOverlapHours} hours'
      then coalesce(endpoint.signs_from, endpoint.generation - 1) else endpoint.generation end as "signsFrom"`;

/** Called after a claim that failed here and may be committed in the database. Releases this worker's claims that are not in flight. */
export async function releaseLostClaims({ pool, workerId }: Pick<WebhookWorkerDeps, "pool" | "workerId">, inFlight: readonly string[]) {
  await pool.query(
    "update webhook_deliveries set claim = null, due_at = now() where claim = $1 and status = 'waiting' and not id = any($2::bigint[])",
    [workerId, inFlight],
  );
}
