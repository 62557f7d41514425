import { Rejection } from "../../../../domain/rejection.js";
import { listWebhooks, type WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";

/** Another organisation's endpoint and an unknown id get the same answer. */
export async function requireEndpoint({ params, person }: SignedInVisit, { pool }: PortalDeps): Promise<WebhookSummary> {
  const endpoints = await listWebhooks(person.organisationId, pool);
  const found = endpoints.find(({ endpointId }) => endpointId === params["endpointId"]);
  if (!found) throw new Rejection("notFound", "There is no endpoint with this id");
  return found;
}
