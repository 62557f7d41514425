import type { PoolClient } from "pg";
import { mostSecrets, overlapHours } from "../../domain/webhooks/endpoint.js";
import type { RecordedOn } from "../../events/codec.js";

type WebhookEvent = Extract<RecordedOn<"organisation">, { readonly type: `Webhook${string}` }>;

/** After a rotation the earlier secret signs for a day more. That also holds if the next rotation follows within that day. */
const signsFrom = `case when rotated_at > $6::timestamptz - interval '${overlapHours} hours'
  then greatest(coalesce(signs_from, generation - 1), $5 - ${mostSecrets - 1}) else generation end`;

/** Each event comes once and in order: the caller compares its revision with the organisation's. */
export async function applyWebhookEvent(client: PoolClient, organisationId: string, event: WebhookEvent): Promise<void> {
  const { endpointId, at } = event.data;
  const change = (assignments: string, values: readonly unknown[] = []) =>
    client.query(`update webhook_endpoints set ${assignments} where organisation_id = $1 and endpoint_id = $2`, [
      organisationId,
      endpointId,
      ...values,
    ]);
  switch (event.type) {
    case "WebhookAdded":
      await client.query(
        `insert into webhook_endpoints (endpoint_id, organisation_id, url, events, generation, added_at, added_position)
         values ($1, $2, $3, $4, 1, $5, $6) on conflict (endpoint_id) do nothing`,
        [endpointId, organisationId, event.data.url, event.data.events, at, String(event.position.commit)],
      );
      return;
    case "WebhookChanged":
      await change(
        `url = $3, events = $4, signs_from = case when generation >= $5 then signs_from else ${signsFrom} end,
         rotated_at = case when generation < $5 then $6::timestamptz else rotated_at end, generation = $5`,
        [event.data.url, event.data.events, event.data.generation, at],
      );
      return;
    case "WebhookRemoved":
      await change("removed_at = $3, removed_because = $4", [at, event.data.reason ?? null]);
      return;
    case "WebhookPaused":
      await change("paused_at = $3, paused_because = $4", [at, event.data.reason ?? null]);
      return;
    case "WebhookResumed":
      await change("paused_at = null, paused_because = null");
      return;
  }
  event satisfies never;
}
