import type { CompletedImport } from "../../../../commands/corrections/expectOpen.js";
import type { CheckedFile } from "../../../../commands/imports/judging/fileChecks.js";
import { Amount } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { Problems } from "./checkOutcome.js";

interface Sent {
  readonly visit: SignedInVisit;
  readonly found: CompletedImport;
  readonly checked: CheckedFile;
  /** The imports that it became. */
  readonly sent: readonly string[];
  /** Why the rest could not be sent. */
  readonly refused?: string;
}

/** What came of a corrected error report of which not all could be sent, or that became several imports. */
export function ReportSent({ visit, found, checked, sent, refused }: Sent) {
  const { accepted, rejected } = checked;
  return (
    <div class="panel">
      <h2>{sent.length === 0 ? "Nothing was sent" : "Sent as a correction"}</h2>
      <p class={`notice ${sent.length === 0 || refused ? "error" : "done"}`} role="status">
        {sent.length === 0 ? (
          "None of its rows can be sent: each is still at fault, or no longer open."
        ) : refused ? (
          `A part of it was sent. ${refused}`
        ) : (
          <>
            <Amount value={accepted} /> {accepted === 1 ? "row was" : "rows were"} sent as a correction of{" "}
            <a href={visit.links.to(`/portal/imports/${found.request.importId}`)}>{found.request.sourceDetails}</a>.
          </>
        )}
        {rejected > 0 ? (
          <>
            {" "}
            <Amount value={rejected} /> {rejected === 1 ? "row was" : "rows were"} not sent. What is open stays open: put it right in the
            same report and upload it again.
          </>
        ) : null}
      </p>
      <ul class="plain-list">
        {sent.map((importId, index) => (
          <li>
            <a href={visit.links.to(`/portal/imports/${importId}`)}>
              {sent.length === 1 ? "Open the import" : `Open import ${index + 1} of ${sent.length}`}
            </a>
          </li>
        ))}
      </ul>
      <Problems checked={checked} caption="Rows that were not sent, in the file's order" />
    </div>
  );
}
