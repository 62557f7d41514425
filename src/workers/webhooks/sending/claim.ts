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
  readonly url: string;
  readonly generation: number;
  /** The secret before this one signs too. */
  readonly overlaps: boolean;
  /** The database's clock. */
  readonly now: Date;
}

export interface Room {
  /** Deliveries that this process can take on. */
  readonly inAll: number;
  /** Of those, to endpoints whose last attempt failed. */
  readonly failing: number;
}

const perEndpoint = 4;
const perFailingEndpoint = 1;
const manyFailures = 3;
/** Longer than an attempt can take, reading the event included: after that its process is taken for dead. */
export const claimSeconds = 45;
const claimLock = 7_241_005; // any number, as long as nothing else in this database locks the same one

/**
 * A delivery waits for the earlier ones of the same import to the same endpoint, and for no others. Undefined while another process claims.
 * Endpoints that fail come last and have fewer places, so that the dead ones never take all.
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

async function claim(client: PoolClient, workerId: string, room: Room): Promise<Claimed[]> {
  const { rows } = await client.query<Claimed>(
    `with busy as (
       select endpoint_id, count(*) as deliveries from webhook_deliveries where claim is not null and due_at > now() group by endpoint_id
     ), open as (
       select endpoint.endpoint_id, coalesce(health.failures, 0) as failures,
              case when coalesce(health.failures, 0) >= ${manyFailures} then ${perFailingEndpoint} else ${perEndpoint} end
                - coalesce(busy.deliveries, 0) as places
         from webhook_endpoints endpoint
         left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
         left join busy on busy.endpoint_id = endpoint.endpoint_id
        where endpoint.removed_at is null and endpoint.paused_at is null and coalesce(health.retry_at, now()) <= now()
     ), due as (
       select delivery.id, open.failures > 0 as failing, delivery.due_at
         from open cross join lateral (
           select each.id, each.due_at from webhook_deliveries each
            where each.endpoint_id = open.endpoint_id and each.status = 'waiting' and each.due_at <= now() and each.type <> 'ping'
              and not exists (select from webhook_deliveries before where before.endpoint_id = each.endpoint_id
                and before.import_id = each.import_id and before.status = 'waiting' and before.position < each.position)
            order by each.due_at, each.position limit greatest(0, open.places)) as delivery
       union all
       select id, false, due_at from webhook_deliveries where status = 'waiting' and type = 'ping' and due_at <= now()
     ), ranked as (
       select id, failing, row_number() over (partition by failing order by due_at, id) as place from due
     ), chosen as (
       select id from ranked where not failing or place <= $3 order by failing, place limit $2
     )
     update webhook_deliveries delivery set claim = $1, due_at = now() + interval '${claimSeconds} seconds'
       from chosen, webhook_endpoints endpoint left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
      where delivery.id = chosen.id and endpoint.endpoint_id = delivery.endpoint_id and delivery.status = 'waiting'
        and endpoint.removed_at is null and delivery.due_at <= now()
     returning delivery.id::text, delivery.claim, delivery.endpoint_id as "endpointId", delivery.organisation_id as "organisationId",
       delivery.event_id as "eventId", delivery.type, delivery.import_id as "importId", delivery.revision::text,
       delivery.occurred_at as "occurredAt", delivery.failures, coalesce(health.failures, 0) as "endpointFailures", endpoint.url,
       endpoint.generation, coalesce(endpoint.rotated_at > now() - interval '${overlapHours} hours', false) as overlaps, now() as now`,
    [workerId, room.inAll, room.failing],
  );
  return rows;
}
