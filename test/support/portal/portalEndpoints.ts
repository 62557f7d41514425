// Webhook endpoints for the portal's pages to show.
import { addWebhook, pauseWebhook, rotateWebhook } from "../../../src/commands/organisations/webhooks.js";
import type { TestService } from "../service.js";

export const endpointUrl = "https://erp.harbour.example/waybill/hooks";
export const pausedUrl = "https://data-warehouse.harbour.example/in?source=waybill";

const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;

/** Adds an endpoint that fails, with deliveries of each outcome, and a paused one. No worker runs, so nothing is sent. */
export async function addEndpoints(service: TestService, organisationId: string, importId: string) {
  const { pool, portal } = service;
  const { endpointId } = await addWebhook(portal.webhooks, { organisationId, url: endpointUrl }, origin);
  await rotateWebhook(portal.webhooks, { organisationId, endpointId }, origin);
  const other = { organisationId, url: pausedUrl, events: ["import.completed"] };
  const paused = await addWebhook(portal.webhooks, other, origin);
  const reason = "No delivery has succeeded for three days.";
  await pauseWebhook(portal.webhooks, { organisationId, endpointId: paused.endpointId }, origin, reason);
  const told = [
    { type: "import.started", status: "delivered", answers: ["200 thank you"] },
    {
      type: "import.completed",
      status: "failed",
      answers: ["500 <h1>Internal error</h1> ".repeat(20), "500 still", "503 come back later"],
    },
    { type: "import.cancelled", status: "waiting", answers: ["- Not sent: 10.20.0.7 is a private address", "- No answer within 15 s"] },
  ];
  let deliveryId = "";
  for (const [index, { type, status, answers }] of told.entries()) {
    const isOver = status !== "waiting";
    const last = answers.at(-1) ?? "";
    const reasonOf = (answer: string) =>
      answer.startsWith("-") ? answer.slice(2) : answer.startsWith("2") ? null : `It answered ${answer.slice(0, 3)}`;
    const { rows } = await pool.query<{ id: string }>(
      `insert into webhook_deliveries (endpoint_id, organisation_id, event_id, type, import_id, revision, position, occurred_at, status, reason,
         attempts, due_at, ended_at)
       values ($1, $2, gen_random_uuid(), $3, $4, $5, $5, now() - interval '2 hours', $6, $7, $8, now() + interval '40 minutes',
         case when $9 then now() end) returning id::text`,
      [endpointId, organisationId, type, importId, index + 1, status, reasonOf(last), answers.length, isOver],
    );
    deliveryId = rows[0]?.id ?? "";
    for (const [attempt, answer] of answers.entries()) {
      const code = answer.startsWith("-") ? null : Number(answer.slice(0, 3));
      await pool.query("insert into webhook_attempts values ($1, $2, now() - $3::int * interval '9 minutes', $4, $5, $6, $7)", [
        ...[
          deliveryId,
          attempt + 1,
          answers.length - attempt,
          37 * (attempt + 1),
          code,
          reasonOf(answer),
          code === null ? null : answer.slice(4),
        ],
      ]);
    }
  }
  await pool.query("insert into webhook_health values ($1, 2, now() - interval '2 hours')", [endpointId]);
  return { endpointId, deliveryId, pausedId: paused.endpointId };
}
