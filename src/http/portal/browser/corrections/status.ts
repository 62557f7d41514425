// What is said of a row, in the row itself.
import type { Held, Row } from "./types.js";

export interface Status {
  readonly kind: "held" | "ready" | "checking" | "wrong" | "accepted";
  readonly text: string;
  readonly faulty: readonly string[];
}

/** `touched`: the row, or another line of its shipment, was changed. */
export function statusOf({ sent, verdict, held, sending }: Row, touched: boolean): Status {
  if (held) return { kind: "held", text: heldText(held), faulty: [] };
  if (sending) return { kind: "held", text: "Being submitted", faulty: [] };
  if (verdict === null)
    return { kind: touched ? "ready" : "accepted", text: touched ? "Ready to submit" : "Would be accepted now", faulty: [] };
  if (verdict === undefined && touched) return { kind: "checking", text: "Checking", faulty: [] };
  const { reason, faulty } = verdict ?? { reason: sent.error, faulty: sent.faulty };
  return { kind: "wrong", text: reason, faulty };
}

function heldText({ state, otherId, by, note }: Held): string {
  const who = by === null ? "" : ` by ${by}`;
  switch (state) {
    case "dismissed":
      return `Dismissed${who}${note ? `: ${note}` : ""}`;
    case "open again":
      return "Open again";
    case "superseded":
      return `Superseded${who}, import ${otherId} has written this shipment since`;
    case "corrected":
      return `Corrected${who}, import ${otherId}`;
    default:
      return `Submitted${who}, import ${otherId}`;
  }
}
