import type { Child } from "hono/jsx";
import type { NameOf } from "../../../../domain/principal.js";
import type { TimelineStep } from "../../../../queries/imports/importTimeline.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { countInWords } from "../../shell/formats.js";
import { Link, Panel, Time } from "../../shell/parts.js";
import { importPath } from "./importStatus.js";

type TimelineProps = { view: Pick<ImportView, "cancelling">; steps: readonly TimelineStep[] | undefined; nameOf: NameOf };

/** `steps`: undefined where the event store does not answer. */
export const Timeline = ({ view, steps, nameOf }: TimelineProps) => (
  <Panel id="timeline" title="Timeline">
    {steps === undefined ? (
      <p class="muted">The history cannot be shown right now. Reload the page in a moment.</p>
    ) : (
      <ol class="timeline">
        {steps.map((step) => (
          <li>
            <Time at={atOf(step)} exact />
            <span>{stepInWords(step, nameOf)}</span>
          </li>
        ))}
        {view.cancelling && !steps.some(({ type }) => type === "ImportCancelled") ? (
          <li>
            <span class="muted">Now</span>
            <span>Cancellation requested. The import stops in a moment</span>
          </li>
        ) : null}
      </ol>
    )}
  </Panel>
);

const atOf = (step: TimelineStep): Date => ("data" in step ? new Date(step.data.at) : step.recordedAt);

/** A step in words, for the timeline and for the list of events. */
export function stepInWords(step: TimelineStep, nameOf: NameOf): Child {
  const rowsOf = (rows: readonly unknown[]) => countInWords(rows.length, "row");
  const linkTo = (importId: string, text: string) => <Link to={importPath(importId)}>{text}</Link>;
  switch (step.type) {
    case "ImportRequested": {
      const { source, file, by, corrects } = step.data;
      const how = source === "file" ? `${file.name} (${bytes(file.size)}) uploaded` : by.kind === "member" ? "Corrected" : "Sent as JSON";
      if (!corrects) return `${how} by ${nameOf(by)}`;
      const why = corrects.reason === undefined ? "" : `: ${corrects.reason}`;
      return [`${how} by ${nameOf(by)}, correcting ${rowsOf(corrects.rows)} of `, linkTo(corrects.importId, "an earlier import"), why];
    }
    case "ImportStarted":
      return "Started";
    case "ImportResumed":
      return `Resumed after an interruption${step.row === undefined ? "" : `, from row ${step.row}`}`;
    case "ImportCompleted": {
      const { failed } = step.data.counts;
      return `Completed, ${failed === 0 ? "nothing" : countInWords(failed, "row")} rejected`;
    }
    case "ImportFailed":
      return `Failed: ${step.data.reason}`;
    case "ImportCancelled":
      return `Cancelled by ${step.data.reason === undefined ? nameOf(step.data.by) : `the service: ${step.data.reason}`}`;
    case "RowsClaimed": {
      const { rows, correction, refused } = step.data;
      return [
        `${rowsOf(rows)} sent again in `,
        linkTo(correction, "a correction"),
        refused.length > 0 ? `, ${rowsOf(refused)} refused` : "",
      ];
    }
    case "RowsDismissed": {
      const { rows, by, note } = step.data;
      return `${rowsOf(rows)} dismissed by ${nameOf(by)}${note ? `: ${note}` : ""}`;
    }
    case "RowsReopened":
      return `${rowsOf(step.data.rows)} opened again by ${nameOf(step.data.by)}`;
    case "RowsReversed": {
      const { rows, shipments, count, reason, by, includedIn } = step.data;
      const what = rows === "all" ? "Reversed as a whole" : `${countInWords(count, shipments ? "shipment" : "row")} reversed`;
      const within = includedIn && [" with a reversal of ", linkTo(includedIn.importId, "the import that it corrects")];
      return [`${what} by ${nameOf(by)}`, within, `: ${reason}`];
    }
  }
}

const bytes = (size: number): string =>
  size < 1_000 ? `${size} bytes` : size < 1_000_000 ? `${(size / 1_000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
