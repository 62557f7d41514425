import type { AttemptSummary, DeliverySummary } from "../../../../queries/organisations/webhooks.js";
import type { SignedInVisit } from "../../pageDefinition.js";
import { Button, Form } from "../../shell/form.js";
import { Badge } from "../../shell/panel.js";
import type { Column } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import { deliveryPath } from "./endpointPanels.js";

const states: Readonly<Record<DeliverySummary["status"], { label: string; badge: string }>> = {
  waiting: { label: "Waiting", badge: "busy" },
  delivered: { label: "Delivered", badge: "good" },
  failed: { label: "Failed", badge: "bad" },
  dropped: { label: "Not sent", badge: "" },
};

export const deliveryColumns = (visit: SignedInVisit, endpointId: string): readonly Column<DeliverySummary>[] => [
  {
    ...{ key: "event", heading: "Event", names: true, value: ({ type }) => type },
    cell: ({ deliveryId, type }) => (
      <a class="unbroken" href={visit.links.to(deliveryPath(endpointId, deliveryId))}>
        {type}
      </a>
    ),
  },
  { key: "happened", heading: "Happened", value: ({ occurredAt }) => occurredAt },
  {
    ...{ key: "outcome", heading: "Outcome", value: ({ status }) => states[status].label },
    cell: (delivery) => <DeliveryOutcome visit={visit} delivery={delivery} />,
  },
  { key: "attempts", heading: "Attempts", value: ({ attempts }) => inBrief(attempts) },
  {
    heading: "Action",
    number: true,
    cell: ({ deliveryId, type, occurredAt }) => (
      <div class="actions">
        <SendAgain visit={visit} endpointId={endpointId} deliveryId={deliveryId} about={`${type} of ${occurredAt.toISOString()}`} />
      </div>
    ),
  },
];

export function DeliveryOutcome({ visit, delivery }: { visit: SignedInVisit; delivery: DeliverySummary }) {
  const { status, reason, dueAt, attempts } = delivery;
  return (
    <span class="endpoint-state">
      <Badge state={states[status]} />
      {reason ? <span class="muted">{reason}.</span> : null}
      {status === "waiting" && attempts.length > 0 ? (
        <span class="muted">
          Next attempt <Time visit={visit} at={dueAt} />
        </span>
      ) : null}
    </span>
  );
}

interface SendAgainProps {
  readonly visit: SignedInVisit;
  readonly endpointId: string;
  readonly deliveryId: string;
  readonly about: string;
}

export const SendAgain = ({ visit, endpointId, deliveryId, about }: SendAgainProps) => (
  <Form visit={visit} to={`${deliveryPath(endpointId, deliveryId)}/send-again`} class="one">
    <Button class="quiet" aria-description={about} label="Send again" />
  </Form>
);

function inBrief(attempts: readonly AttemptSummary[]): string {
  const last = attempts.at(-1);
  if (!last) return "None yet";
  return `${last.attempt === 1 ? "1 attempt" : `${last.attempt} attempts`}, ${last.status ?? "no answer"}`;
}
