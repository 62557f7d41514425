// Moves endpoints forward in webhook_events. However many events an endpoint is behind, it has a bounded number of waiting deliveries:
// the rest is a position. A paused endpoint stays where it is.
import type { PoolClient } from "pg";
import { deliveryColumns, dueNowSql, restartedSql, webhookHistoryDays } from "../../../commands/webhooks/deliveries.js";

/** How many deliveries of an endpoint wait at most. */
export const mostWaiting = {
  /** If it is new, or its last attempt failed. */
  newOrFailing: 100,
  /** If it works: those that are due. */
  due: 1_000,
  /** If it works: all together, so that events that it keeps refusing leave room for the others. */
  working: 5_000,
};
/** How many endpoints are looked at together, and after which time one that is still behind, or has no room, is looked at again. */
const atOnce = 50;
const lookAgainMs = { behind: 250, full: 2_000 };

interface EndpointBehind {
  readonly endpointId: string;
  readonly room: number;
}

const waiting = "select from webhook_deliveries delivery where delivery.endpoint_id = backlog.endpoint_id and delivery.status = 'waiting'";
const room = `case when works
  then least(${mostWaiting.due} - (select count(*) from (${waiting} and delivery.due_at <= now() limit ${mostWaiting.due}) as due),
             ${mostWaiting.working} - (select count(*) from (${waiting} limit ${mostWaiting.working}) as every))
  else ${mostWaiting.newOrFailing} - (select count(*) from (${waiting} limit ${mostWaiting.newOrFailing}) as every) end`;

/** Endpoints that work come first, then the one that has waited longest. Locked, so that the follower's next event finds the new position. */
async function lockEndpointsBehind(client: PoolClient): Promise<EndpointBehind[]> {
  const { rows } = await client.query<EndpointBehind>(
    `select backlog.endpoint_id as "endpointId", (${room})::int as room
       from (
         select backlog.endpoint_id, next_at, coalesce(health.failures = 0 and health.succeeded_at is not null, false) as works
           from webhook_backlogs backlog join webhook_endpoints endpoint on endpoint.endpoint_id = backlog.endpoint_id
           left join webhook_health health on health.endpoint_id = backlog.endpoint_id
          where next_at <= now() and endpoint.paused_at is null and endpoint.removed_at is null
          order by works desc, next_at limit ${atOnce} for update of backlog skip locked
       ) as backlog`,
  );
  return rows;
}

/** The next events of each endpoint, as many as it has room for; events that were appended together may share a position. */
const nextEventsSql = `
  select wanted."endpointId" as endpoint_id, endpoint.organisation_id, event.event_id, event.type, event.import_id, event.revision, event.position,
         event.occurred_at, event.position <= backlog.again_until as is_replay,
         event.type = any(endpoint.events) and (event.position <= backlog.again_until
           or event.position > endpoint.added_position and event.occurred_at > now() - interval '${webhookHistoryDays} days') as is_wanted
    from wanted
    join webhook_backlogs backlog on backlog.endpoint_id = wanted."endpointId"
    join webhook_endpoints endpoint on endpoint.endpoint_id = wanted."endpointId"
   cross join lateral (select * from webhook_events each where each.organisation_id = endpoint.organisation_id
      and each.position > backlog.position order by each.position fetch first (wanted.room) rows with ties) as event`;

/** Not before the import's earlier deliveries are due. Deliveries that are being sent are not compared: the claim then keeps the order. */
const dueSql = `greatest(${dueNowSql}, (select max(before.due_at) from webhook_deliveries before where before.endpoint_id = next.endpoint_id
  and before.import_id = next.import_id and before.status = 'waiting' and before.claim is null and before.position < next.position))`;

/**
 * Adds deliveries and moves the positions. It is one statement, so that both see the same events: a replay may add old ones at any time. What a
 * replay is to send again is sent whatever was sent before.
 */
export async function fillDeliveries(client: PoolClient): Promise<void> {
  const behind = await lockEndpointsBehind(client);
  if (behind.length === 0) return;
  await client.query(
    `with wanted as (select * from jsonb_to_recordset($1) as wanted ("endpointId" uuid, room int)
     ), next as materialized (${nextEventsSql}
     ), added as (
       insert into webhook_deliveries (${deliveryColumns})
       select endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, 'waiting', ${dueSql}
         from next where is_wanted and (is_replay or not exists (select from webhook_deliveries known
           where known.endpoint_id = next.endpoint_id and known.event_id = next.event_id))
        order by position
       on conflict (endpoint_id, event_id) do update set ${restartedSql}
     ), reached as (select endpoint_id, max(position) as position, count(*) as events from next group by endpoint_id)
     update webhook_backlogs backlog
        set position = coalesce(reached.position, backlog.position),
            next_at = case when wanted.room = 0 then now() + interval '${lookAgainMs.full} milliseconds'
                           when reached.events >= wanted.room then now() + interval '${lookAgainMs.behind} milliseconds' end
       from wanted left join reached on reached.endpoint_id = wanted."endpointId"
      where backlog.endpoint_id = wanted."endpointId"`,
    [JSON.stringify(behind)],
  );
}
