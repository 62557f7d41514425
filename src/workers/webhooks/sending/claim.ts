// Which deliveries are sent next. One process claims at a time, so that the limits hold over all of them.
import type { PoolClient } from "pg";
import { overlapHours } from "../../../domain/webhooks/secret.js";
import type { WebhookWorkerDeps } from "../deps.js";

export interface Claimed {
  readonly id: string;
  readonly claim: string;
  readonly endpointId: string;
  readonly organisationId: string;
  readonly eventId: string;
  readonly type: string;
  readonly importId: string | null;
  readonly revision: string | null;
  readonly occurredAt: Date;
  /** Failures so far that count. */
  readonly failures: number;
  /** Of its endpoint, in a row. */
  readonly endpointFailures: number;
  readonly place: Place;
  readonly url: string;
  readonly generation: number;
  /** The secret before this one signs too. */
  readonly overlaps: boolean;
  /** The database's clock. */
  readonly now: Date;
}

/** One at a time to an endpoint that works or is new; a second to fourth beside it; one at a time to an endpoint whose last attempt failed. */
export type Place = "first" | "further" | "failing";

/** Deliveries that this process can take on: in all, and of the kinds that must not take all. */
export type Room = Readonly<Record<Exclude<Place, "first"> | "inAll", number>>;

const perEndpoint = 4;
/** A turn takes on no more, so that a thousand endpoints do not begin in one go and those that answer are heard between. */
const perTurn = 250;
/** Longer than an attempt can take, reading the event included: after that its process is taken for dead. */
export const claimSeconds = 45;
const claimLock = 7_241_005; // any number, as long as nothing else in this database locks the same one

/**
 * A delivery waits for the earlier ones of the same import to the same endpoint, and for no others. Undefined while another process claims.
 * Each endpoint's first delivery comes first, beginning with those that have answered before: so those that hang never take all places.
 */
export function claimDeliveries(
  { inTransaction, workerId }: Pick<WebhookWorkerDeps, "inTransaction" | "workerId">,
  room: Room,
): Promise<Claimed[] | undefined> {
  return inTransaction(async (client) => {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_xact_lock(${claimLock}) as taken`);
    return rows[0]?.taken ? claim(client, workerId, room) : undefined;
  });
}

/** Of the import, to the endpoint. With a limit, so that it is one look into the index and not a join with all that waits. */
const oldestWaiting = `select before.position from webhook_deliveries before
  where before.endpoint_id = each.endpoint_id and before.import_id = each.import_id and before.status = 'waiting' order by before.position limit 1`;

async function claim(client: PoolClient, workerId: string, room: Room): Promise<Claimed[]> {
  const { rows } = await client.query<Claimed>(
    `with open as (
       select endpoint.endpoint_id, coalesce(health.failures, 0) > 0 as failing, health.succeeded_at is null as unproven, busy.deliveries as busy,
              case when coalesce(health.failures, 0) > 0 or $3::int = 0 then 1 else ${perEndpoint} end as places
         from webhook_endpoints endpoint
         left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
        cross join lateral (select count(*) as deliveries from webhook_deliveries delivery
           where delivery.endpoint_id = endpoint.endpoint_id and claim is not null and due_at > now() offset 0) as busy
        where endpoint.removed_at is null and endpoint.paused_at is null and coalesce(health.retry_at, now()) <= now()
     ), due as (
       select delivery.id, delivery.due_at, unproven, busy + nth as nth,
              case when failing then 'failing' when busy + nth > 1 then 'further' else 'first' end as place
         from open cross join lateral (
           select each.id, each.due_at, row_number() over (order by each.due_at) as nth from webhook_deliveries each
            where each.endpoint_id = open.endpoint_id and each.status = 'waiting' and each.due_at <= now() and each.type <> 'ping'
              and each.position = (${oldestWaiting})
            order by each.due_at limit greatest(0, places - busy)) as delivery
       union all
       select id, due_at, false, 1, 'first' from webhook_deliveries where status = 'waiting' and type = 'ping' and due_at <= now()
     ), ranked as (
       select id, place, row_number() over (partition by place order by nth, unproven, due_at, id) as rank from due
     ), chosen as (
       select id, place from ranked where rank <= case place when 'first' then $2::int when 'further' then $3::int else $4::int end
        order by array_position(array['first', 'further', 'failing'], place), rank limit $2::int
     )
     update webhook_deliveries delivery set claim = $1, due_at = now() + interval '${claimSeconds} seconds'
       from chosen, webhook_endpoints endpoint left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
      where delivery.id = chosen.id and endpoint.endpoint_id = delivery.endpoint_id and delivery.status = 'waiting'
        and endpoint.removed_at is null and delivery.due_at <= now()
     returning delivery.id::text, delivery.claim, delivery.endpoint_id as "endpointId", delivery.organisation_id as "organisationId",
       delivery.event_id as "eventId", delivery.type, delivery.import_id as "importId", delivery.revision::text,
       delivery.occurred_at as "occurredAt", delivery.failures, coalesce(health.failures, 0) as "endpointFailures", chosen.place, endpoint.url,
       endpoint.generation, coalesce(endpoint.rotated_at > now() - interval '${overlapHours} hours', false) as overlaps, now() as now`,
    [workerId, Math.min(perTurn, room.inAll), room.further, room.failing],
  );
  return rows;
}

/** After an outage: a claim may have been committed whose answer was lost. What is not under way here is free again. */
export async function releaseLostClaims(
  { pool, workerId }: Pick<WebhookWorkerDeps, "pool" | "workerId">,
  running: Iterable<Claimed>,
): Promise<void> {
  await pool.query(
    "update webhook_deliveries set claim = null, due_at = now() where claim = $1 and status = 'waiting' and not id = any($2::bigint[])",
    [workerId, Array.from(running, ({ id }) => id)],
  );
}
