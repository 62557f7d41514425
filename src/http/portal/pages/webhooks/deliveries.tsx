import type { AttemptSummary, DeliverySummary } from "../../../../queries/organisations/webhooks.js";
import type { SignedInVisit } from "../../page.js";
import { Button, Form } from "../../shell/form.js";
import { Badge, EmptyState, Pager, Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import { deliveryPath, endpointPath } from "./parts.js";

export const pageSize = 50;

interface DeliveriesProps {
  readonly visit: SignedInVisit;
  readonly endpointId: string;
  /** One more than the page shows, if there are more. */
  readonly deliveries: readonly DeliverySummary[];
  /** The delivery that the page before ended with; undefined on the first page. */
  readonly before: string | undefined;
}

export function Deliveries({ visit, endpointId, deliveries, before }: DeliveriesProps) {
  const shown = deliveries.slice(0, pageSize);
  const last = deliveries.length > pageSize ? shown.at(-1) : undefined;
  return (
    <Panel id="deliveries" title="Deliveries">
      <Table
        caption="Deliveries of the last 30 days, newest first"
        columns={columns(visit, endpointId)}
        rows={shown}
        empty={
          <EmptyState title="Nothing was sent in the last 30 days">
            The next import's events appear here. Send a ping to test the endpoint now.
          </EmptyState>
        }
      />
      <Pager
        of="deliveries"
        cursor={before}
        nextCursor={last ? String(last.deliveryId) : null}
        address={(next) => visit.links.to(endpointPath(endpointId), { before: next })}
      />
    </Panel>
  );
}

const states: Readonly<Record<DeliverySummary["status"], { label: string; badge: string }>> = {
  waiting: { label: "Waiting", badge: "busy" },
  delivered: { label: "Delivered", badge: "good" },
  failed: { label: "Failed", badge: "bad" },
  dropped: { label: "Not sent", badge: "" },
};

const columns = (visit: SignedInVisit, endpointId: string): readonly Column<DeliverySummary>[] => [
  {
    heading: "Event",
    names: true,
    cell: ({ deliveryId, type }) => (
      <a class="event-type" href={visit.links.to(deliveryPath(endpointId, deliveryId))}>
        {type}
      </a>
    ),
  },
  { heading: "Happened", cell: ({ occurredAt }) => <Time visit={visit} at={occurredAt} /> },
  { heading: "Outcome", cell: (delivery) => <Outcome visit={visit} delivery={delivery} /> },
  { heading: "Attempts", cell: ({ attempts }) => <span class="unbroken">{inBrief(attempts)}</span> },
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

export function Outcome({ visit, delivery }: { visit: SignedInVisit; delivery: DeliverySummary }) {
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
