import type { Child } from "hono/jsx";
import type { NameOf } from "../../../../domain/principal.js";
import type { TimelineStep } from "../../../../queries/imports/importTimeline.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { countInWords } from "../../shell/formats.js";
import { Link } from "../../shell/link.js";
import { Panel } from "../../shell/panel.js";
import { Amount, Time } from "../../shell/values.js";
import { importPath } from "./importStatus.js";

interface TimelineProps {
  readonly view: ImportView;
  /** Undefined where the event store does not answer. */
  readonly steps: readonly TimelineStep[] | undefined;
  readonly nameOf: NameOf;
}

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
  const rowsOf = (count: number) => (
    <>
      <Amount value={count} /> {count === 1 ? "row" : "rows"}
    </>
  );
  const linkTo = (importId: string, text: string) => <Link to={importPath(importId)}>{text}</Link>;
  switch (step.type) {
    case "ImportRequested": {
      const { source, file, by, corrects } = step.data;
      return (
        <>
          {source === "file" ? `${file.name} (${bytes(file.size)}) uploaded` : by.kind === "member" ? "Corrected" : "Sent as JSON"} by{" "}
          {nameOf(by)}
          {corrects ? (
            <>
              , correcting {rowsOf(corrects.rows.length)} of {linkTo(corrects.importId, "an earlier import")}
              {corrects.reason === undefined ? null : `: ${corrects.reason}`}
            </>
          ) : null}
        </>
      );
    }
    case "ImportStarted":
      return "Started";
    case "ImportResumed":
      return `Resumed after an interruption${step.row === undefined ? "" : `, from row ${step.row}`}`;
    case "ImportCompleted":
      return step.data.counts.failed === 0 ? "Completed, nothing rejected" : <>Completed, {rowsOf(step.data.counts.failed)} rejected</>;
    case "ImportFailed":
      return `Failed: ${step.data.reason}`;
    case "ImportCancelled":
      return `Cancelled by ${step.data.reason === undefined ? nameOf(step.data.by) : `the service: ${step.data.reason}`}`;
    case "RowsClaimed":
      return (
        <>
          {rowsOf(step.data.rows.length)} sent again in {linkTo(step.data.correction, "a correction")}
          {step.data.refused.length > 0 ? <>, {rowsOf(step.data.refused.length)} refused</> : null}
        </>
      );
    case "RowsDismissed":
      return (
        <>
          {rowsOf(step.data.rows.length)} dismissed by {nameOf(step.data.by)}
          {step.data.note ? `: ${step.data.note}` : null}
        </>
      );
    case "RowsReopened":
      return (
        <>
          {rowsOf(step.data.rows.length)} opened again by {nameOf(step.data.by)}
        </>
      );
    case "RowsReversed": {
      const { rows, shipments, count, reason, by, includedIn } = step.data;
      return (
        <>
          {rows === "all" ? (
            "Reversed as a whole"
          ) : (
            <>{shipments ? countInWords(count, "shipment", "shipments") : rowsOf(count)} reversed</>
          )}{" "}
          by {nameOf(by)}
          {includedIn ? <> with a reversal of {linkTo(includedIn.importId, "the import that it corrects")}</> : null}: {reason}
        </>
      );
    }
  }
}

const bytes = (size: number): string =>
  size < 1_000 ? `${size} bytes` : size < 1_000_000 ? `${(size / 1_000).toFixed(1)} kB` : `${(size / 1_000_000).toFixed(1)} MB`;
