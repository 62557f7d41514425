// Chooses which deliveries are sent next, and says when the next one is due.
import type { Pool, PoolClient } from "pg";

/** The longest time of an attempt: 15 s for an answer, 2 s for the answer's text, and the rest to write the outcome. */
export const attemptSeconds = 20;

/** How long a claim lasts: longer than an attempt and the reading of its event. When a claim has ended, its process counts as dead. */
export const claimSeconds = 30;

/**
 * The kind of slot that a delivery takes in its process. `first`: the first delivery in flight to a working endpoint. `further`: the second
 * to fourth one. `new`: a ping, or the only delivery in flight to an endpoint that has not answered yet. `failing`: the only delivery in
 * flight to an endpoint whose last attempt failed.
 */
export type SendingSlot = "first" | "further" | "new" | "failing";

/**
 * How many more deliveries this process can take: in all, and of the kinds that must leave room for others. An organisation has at most
 * twenty endpoints, so it never holds more than a small part of the slots.
 */
export type FreeSlots = Readonly<Record<Exclude<SendingSlot, "first"> | "inAll", number>>;

const maxPerEndpoint = 4;
/** How many deliveries one claim takes at most, so that a thousand requests do not begin at once and answers are handled in between. */
const maxClaim = { inAll: 250, new: 100, failing: 25 };

/** The import's oldest waiting delivery to the endpoint. The limit makes this one index look-up, not a join with all waiting deliveries. */
const oldestWaitingSql = `select before.position from webhook_deliveries before
  where before.endpoint_id = each.endpoint_id and before.import_id = each.import_id and before.status = 'waiting' order by before.position limit 1`;

/**
 * A claim that ends before this time is older than an attempt can be, so it has no request in flight: its process has died, or is writing
 * the outcome. Such a claim does not count as busy.
 */
const underWaySql = `now() + interval '${claimSeconds - attemptSeconds} seconds'`;

/** Endpoints with waiting deliveries. Steps from endpoint to endpoint in the index, since most have none and some have thousands. */
const endpointsWithDeliveriesSql = `
  (select endpoint_id from webhook_deliveries where status = 'waiting' order by endpoint_id limit 1)
  union all
  select (select next.endpoint_id from webhook_deliveries next where next.status = 'waiting' and next.endpoint_id > at.endpoint_id
    order by next.endpoint_id limit 1) from with_waiting at where at.endpoint_id is not null`;

/** Endpoints that may receive deliveries now. With `offset 0` Postgres looks each one up and does not join lists of unknown length. */
const readyEndpointsSql = `
  select endpoint.endpoint_id, endpoint.organisation_id,
         case when health.failures > 0 then 'failing' when health.succeeded_at is null then 'new' else 'first' end as standing
    from webhook_endpoints endpoint left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
   where endpoint.endpoint_id = with_waiting.endpoint_id and endpoint.removed_at is null and endpoint.paused_at is null
     and coalesce(health.retry_at, now()) <= now() offset 0`;

/** One ping at a time for each endpoint, whatever else is sent there, since a person waits for the answer. */
const pingsSql = `select distinct on (ping.endpoint_id) ping.id, ping.organisation_id, ping.due_at, 0 as nth, 'new' as slot from webhook_deliveries ping
  where ping.status = 'waiting' and ping.type = 'ping' and ping.due_at <= now() and not exists (select from webhook_deliveries busy
    where busy.endpoint_id = ping.endpoint_id and busy.claim is not null and busy.type = 'ping' and busy.due_at > now())
  order by ping.endpoint_id, ping.due_at`;

/** Returns the chosen deliveries' slots, by delivery id. */
export async function chooseDeliveries(client: PoolClient, slots: FreeSlots): Promise<Map<string, SendingSlot>> {
  const { rows } = await client.query<{ id: string; slot: SendingSlot }>(
    `with recursive with_waiting (endpoint_id) as (${endpointsWithDeliveriesSql}
     ), open as (
       select ready.*, busy.deliveries as busy, case when standing = 'first' and $2::int > 0 then ${maxPerEndpoint} else 1 end as slots
         from with_waiting cross join lateral (${readyEndpointsSql}) as ready
        cross join lateral (select count(*) as deliveries from webhook_deliveries delivery
           where delivery.endpoint_id = ready.endpoint_id and claim is not null and due_at > ${underWaySql} offset 0) as busy
     ), due as (
       select delivery.id, organisation_id, delivery.due_at, busy + nth as nth, case when standing = 'first' and busy + nth > 1 then 'further' else standing end as slot
         from open cross join lateral (
           select each.id, each.due_at, row_number() over (order by each.due_at) as nth from webhook_deliveries each
            where each.endpoint_id = open.endpoint_id and each.status = 'waiting' and each.due_at <= now() and each.type <> 'ping'
              and each.position = (${oldestWaitingSql})
            order by each.due_at limit greatest(0, slots - busy)) as delivery
       union all (${pingsSql})
     ), by_organisation as (
       select *, row_number() over (partition by slot, organisation_id order by nth, due_at, id) as round from due
     ), ranked as (
       select id, slot, row_number() over (partition by slot order by round, due_at, id) as rank from by_organisation
     )
     select id::text, slot from ranked
      where rank <= case slot when 'first' then $1::int when 'further' then $2::int when 'new' then $3::int else $4::int end
      order by array_position(array['first', 'further', 'new', 'failing'], slot), rank limit $1::int`,
    [Math.min(maxClaim.inAll, slots.inAll), slots.further, Math.min(maxClaim.new, slots.new), Math.min(maxClaim.failing, slots.failing)],
  );
  return new Map(rows.map(({ id, slot }) => [id, slot]));
}

/** When the first delivery to each endpoint is due. For a delivery in flight this is the end of its claim. */
const firstDeliveriesSql = `
  select greatest(first.due_at, health.retry_at)
    from with_waiting join webhook_endpoints endpoint on endpoint.endpoint_id = with_waiting.endpoint_id
    left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
   cross join lateral (select due_at from webhook_deliveries each where each.endpoint_id = endpoint.endpoint_id and each.status = 'waiting'
      order by each.due_at limit 1) as first
   where endpoint.removed_at is null and endpoint.paused_at is null`;

const waitingPingsSql = "select due_at from webhook_deliveries where status = 'waiting' and type = 'ping'";

const backlogsSql = `
  select next_at from webhook_backlogs backlog join webhook_endpoints endpoint on endpoint.endpoint_id = backlog.endpoint_id
   where next_at is not null and endpoint.removed_at is null and endpoint.paused_at is null`;

/**
 * How long it is until something may have to be sent, by the database's clock; Infinity if nothing waits. A due delivery may still find no
 * slot, or wait for an earlier delivery of its import.
 */
export async function nextDeliveryInMs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number | null }>(
    `with recursive with_waiting (endpoint_id) as (${endpointsWithDeliveriesSql})
     select extract(epoch from min(at) - now())::float8 * 1000 as ms
       from (${firstDeliveriesSql} union all ${waitingPingsSql} union all ${backlogsSql}) as due (at)`,
  );
  return rows[0]?.ms ?? Number.POSITIVE_INFINITY;
}
