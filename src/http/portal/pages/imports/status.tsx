import type { ImportKind } from "../../../../events/importEvents.js";
import type { ImportStatus, ImportView } from "../../../../queries/imports/importView.js";

export const kindNames: Readonly<Record<ImportKind, string>> = { shipments: "Shipments", activities: "Activities" };

export const statusNames: Readonly<Record<ImportStatus, string>> = {
  queued: "Waiting",
  processing: "Running",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

const badges: Readonly<Record<ImportStatus, string>> = {
  queued: "",
  processing: "busy",
  completed: "good",
  failed: "bad",
  cancelled: "warn",
};

export const isUnfinished = ({ status }: Pick<ImportView, "status">): boolean => status === "queued" || status === "processing";

/** The status in words, as pages show it and screen readers say it. */
export const statusOf = ({ status, cancelling }: Pick<ImportView, "status" | "cancelling">): string =>
  cancelling ? "Cancelling" : statusNames[status];

export const StatusBadge = ({ view }: { readonly view: Pick<ImportView, "status" | "cancelling"> }) => (
  <span class={`badge ${view.cancelling ? "warn" : badges[view.status]}`}>{statusOf(view)}</span>
);

export const Progress = ({ view: { progress, reference } }: { readonly view: Pick<ImportView, "progress" | "reference"> }) => (
  <span class="progress">
    <progress max={100} value={progress} aria-label={`Progress of ${reference}`} /> <span class="amount">{progress} %</span>
  </span>
);

/** Of a running activities import the contract shows no rejected rows; here they are what was read and not accepted. */
export const rejectedSoFar = ({ kind, status, counts }: Pick<ImportView, "kind" | "status" | "counts">): number =>
  kind === "activities" && status === "processing" ? Math.max(0, counts.received - counts.processed) : counts.failed;

export const importsPath = "/portal/imports";
/** The address of the event stream for open pages. */
export const livePath = "/portal/live/imports";
export const importPath = (importId: string) => `${importsPath}/${importId}`;
/** The events of an import, from the one of this row on. */
export const historyPath = (importId: string, row: number) => `${importPath(importId)}/history?row=${row}`;

/** A reference may be nothing but spaces. */
export const shownReference = ({ reference }: Pick<ImportView, "reference">): string => reference.trim() || "Without a reference";
