// Moves endpoints forward in webhook_events, and makes deliveries of the events. However far an endpoint is behind, it has a bounded number
// of waiting deliveries: the rest are the events after the endpoint's position. A paused endpoint keeps its position.
import type { PoolClient } from "pg";
import { deliveryColumnsSql, dueNowSql, restartSql, webhookHistoryDays } from "../../../commands/webhooks/deliveries.js";

/** How many deliveries of one endpoint wait at most. */
export const maxWaiting = {
  /** For a new endpoint, and for one whose last attempt failed. */
  newOrFailing: 100,
  /** For a working endpoint: due deliveries. */
  due: 1_000,
  /** For a working endpoint: all waiting deliveries. More than `due`, so that events that it keeps refusing leave room for others. */
  working: 5_000,
};
/** How many endpoints one call of `fillDeliveries` moves forward. */
const endpointsPerFill = 50;
/** How soon an endpoint is looked at again: `behind` if it has more events, `full` if it has no room for deliveries. */
const lookAgainMs = { behind: 250, full: 2_000 };

interface EndpointBehind {
  readonly endpointId: string;
  readonly room: number;
}

const waitingSql =
  "select from webhook_deliveries delivery where delivery.endpoint_id = backlog.endpoint_id and delivery.status = 'waiting'";
const roomSql = `case when works
  then least(${maxWaiting.due} - (select count(*) from (${waitingSql} and delivery.due_at <= now() limit ${maxWaiting.due}) as due),
             ${maxWaiting.working} - (select count(*) from (${waitingSql} limit ${maxWaiting.working}) as every))
  else ${maxWaiting.newOrFailing} - (select count(*) from (${waitingSql} limit ${maxWaiting.newOrFailing}) as every) end`;

/** Working endpoints first, then those that have waited longest. Locks them, so that the follower waits for their new positions. */
async function lockEndpointsBehind(client: PoolClient): Promise<EndpointBehind[]> {
  const { rows } = await client.query<EndpointBehind>(
    `select backlog.endpoint_id as "endpointId", (${roomSql})::int as room
       from (
         select backlog.endpoint_id, next_at, coalesce(health.failures = 0 and health.succeeded_at is not null, false) as works
           from webhook_backlogs backlog join webhook_endpoints endpoint on endpoint.endpoint_id = backlog.endpoint_id
           left join webhook_health health on health.endpoint_id = backlog.endpoint_id
          where next_at <= now() and endpoint.paused_at is null and endpoint.removed_at is null
          order by works desc, next_at limit ${endpointsPerFill} for update of backlog skip locked
       ) as backlog`,
  );
  return rows;
}

/** The next events of each endpoint, as many as it has room for. Events that were appended together may share a position. */
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

/** When a delivery is due: not before the import's earlier deliveries. Those in flight are not compared: the claim keeps their order. */
const dueSql = `greatest(${dueNowSql}, (select max(before.due_at) from webhook_deliveries before where before.endpoint_id = next.endpoint_id
  and before.import_id = next.import_id and before.status = 'waiting' and before.claim is null and before.position < next.position))`;

/**
 * Adds deliveries and moves the positions, in one statement, so that both see the same events: a replay may add old events at any time.
 * Events of a replay are sent even if they were sent before.
 */
export async function fillDeliveries(client: PoolClient): Promise<void> {
  const endpoints = await lockEndpointsBehind(client);
  if (endpoints.length === 0) return;
  await client.query(
    `with wanted as (select * from jsonb_to_recordset($1) as wanted ("endpointId" uuid, room int)
     ), next as materialized (${nextEventsSql}
     ), added as (
       insert into webhook_deliveries (${deliveryColumnsSql})
       select endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, 'waiting', ${dueSql}
         from next where is_wanted and (is_replay or not exists (select from webhook_deliveries known
           where known.endpoint_id = next.endpoint_id and known.event_id = next.event_id))
        order by position
       on conflict (endpoint_id, event_id) do update set ${restartSql}
     ), reached as (select endpoint_id, max(position) as position, count(*) as events from next group by endpoint_id)
     update webhook_backlogs backlog
        set position = coalesce(reached.position, backlog.position),
            next_at = case when wanted.room = 0 then now() + interval '${lookAgainMs.full} milliseconds'
                           when reached.events >= wanted.room then now() + interval '${lookAgainMs.behind} milliseconds' end
       from wanted left join reached on reached.endpoint_id = wanted."endpointId"
      where backlog.endpoint_id = wanted."endpointId"`,
    [JSON.stringify(endpoints)],
  );
}
