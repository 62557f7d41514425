import { overlapHours } from "../../../../domain/webhooks/secret.js";
import type { WebhookSummary } from "../../../../queries/webhooks.js";
import { NoQuestion, Question } from "../../shell/dialog.js";
import type { SignedInVisit } from "../../visit.js";
import { endpointPath } from "./paths.js";

interface EndpointQuestionProps {
  readonly visit: SignedInVisit;
  readonly endpoint: WebhookSummary;
  readonly asked: string | undefined;
}

/** What is asked before an endpoint goes, or gets another secret. */
export function EndpointQuestion({ visit, endpoint: { endpointId, url, waiting }, asked }: EndpointQuestionProps) {
  const path = endpointPath(endpointId);
  if (asked === "remove")
    return (
      <Question visit={visit} title="Remove this endpoint?" to={`${path}/remove`} back={path} label="Remove">
        <p>
          Nothing more is sent to <strong>{url}</strong>
          {waiting > 0 ? `, and the ${waiting} that wait are dropped` : ""}. This cannot be undone; it can be added again, with another
          secret.
        </p>
      </Question>
    );
  if (asked === "rotate")
    return (
      <Question visit={visit} title="Rotate the secret?" to={`${path}/rotate`} back={path} label="Rotate">
        <p>
          A new secret is made and shown once. For {overlapHours} hours both sign every request to <strong>{url}</strong>; put the new one
          into your receiver before then.
        </p>
      </Question>
    );
  return <NoQuestion />;
}
