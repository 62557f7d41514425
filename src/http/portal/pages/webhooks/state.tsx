import type { WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import { Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";

interface OfEndpoint {
  readonly visit: SignedInVisit;
  readonly endpoint: WebhookSummary;
}

/** Whether it is sent to, and if not, since when and why. */
export function State({ visit, endpoint: { pausedAt, pausedBecause, failures, failingSince } }: OfEndpoint) {
  if (pausedAt)
    return (
      <span class="endpoint-state">
        <span class="badge warn">Paused</span>
        <span class="muted">
          since <Time visit={visit} at={pausedAt} />. {pausedBecause ?? "Somebody paused it."}
        </span>
      </span>
    );
  if (failures > 0)
    return (
      <span class="endpoint-state">
        <span class="badge bad">Failing</span>
        <span class="muted">
          since <Time visit={visit} at={failingSince} />; it is tried again until three days have passed
        </span>
      </span>
    );
  return <span class="badge good">Active</span>;
}
