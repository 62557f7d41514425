import { overlapHours } from "../../../../domain/webhooks/endpoint.js";
import type { WebhookSummary } from "../../../../queries/organisations/webhooks.js";
import { NoQuestion, Question } from "../../shell/dialog.js";
import { Amount, Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { endpointPath } from "./paths.js";

interface EndpointQuestionProps {
  readonly visit: SignedInVisit;
  readonly endpoint: WebhookSummary;
  readonly asked: string | undefined;
  /** What a replay would send, if one is asked about. */
  readonly replay: AskedReplay | undefined;
}

export interface AskedReplay {
  /** The time as it was entered. */
  readonly from: string;
  readonly since: Date;
  readonly imports: number;
}

/** The question before an endpoint is removed, gets a new secret, or is sent everything again. */
export function EndpointQuestion({ visit, endpoint: { endpointId, url, waiting, pausedAt }, asked, replay }: EndpointQuestionProps) {
  const path = endpointPath(endpointId);
  if (asked === "remove")
    return (
      <Question visit={visit} title="Remove this endpoint?" to={`${path}/remove`} back={path} label="Remove">
        <p>
          Nothing more is sent to <strong>{url}</strong>
          {waiting > 0 ? `, and ${waiting === 1 ? "the one that waits is" : `the ${waiting} that wait are`} dropped` : ""}. This cannot be
          undone; it can be added again, with another secret.
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
  if (replay)
    return (
      <Question visit={visit} title="Send it all again?" to={`${path}/replay`} back={path} label="Replay" fields={{ from: replay.from }}>
        <p>
          Everything since <Time visit={visit} at={replay.since} /> is sent to <strong>{url}</strong> again: what happened to at most{" "}
          <Amount value={replay.imports} /> {replay.imports === 1 ? "import" : "imports"}, each event under its own id.
          {pausedAt ? " It goes when the endpoint is resumed." : ""}
        </p>
      </Question>
    );
  return <NoQuestion />;
}
