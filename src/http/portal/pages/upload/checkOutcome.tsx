import type { CheckedFile, Problem } from "../../../../commands/imports/judging/fileChecks.js";
import type { ImportKind, ImportRequested } from "../../../../events/importEvents.js";
import { type Column, Table } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";

export interface Outcome {
  readonly visit: SignedInVisit;
  readonly name: string;
  readonly kind: ImportKind;
  readonly checked: CheckedFile;
  /** How many of its shipments the ledger has already. */
  readonly replaced: number;
  /** The import whose error report the file is, where it is one. */
  readonly reported: ImportRequested | undefined;
  /** True for an error report that does not say which import it is of. */
  readonly ofUnknown: boolean;
}

/** What the check found, as markup for the page's script to put in its place. */
export const checkOutcome = (outcome: Outcome): string => String(<CheckOutcome {...outcome} />);

/** `next` says how to go on, where the page does not show it. */
export function CheckOutcome({ visit, name, checked, replaced, reported, ofUnknown, next }: Outcome & { readonly next?: string }) {
  const { rows, accepted, rejected, shipments, notes } = checked;
  return (
    <div class="panel">
      <h2>Checked: {name}</h2>
      {reported ? <Reported visit={visit} reported={reported} checked={checked} /> : null}
      {ofUnknown ? <p class="notice">{unknownReport}</p> : null}
      <p class={`notice ${rejected === 0 ? "done" : "error"}`} role="status">
        {rejected === 0 ? "Every row would be accepted." : sentenceOf(rejected, rows, reported ? "not be sent" : "be rejected")} Nothing has
        been recorded.
      </p>
      <dl class="figures">
        <Figure label="Rows" value={rows} />
        <Figure label="Rows accepted" value={accepted} />
        <Figure label="Rows rejected" value={rejected} />
        {shipments === null ? null : (
          <>
            <Figure label="New shipments" value={shipments - replaced} />
            <Figure label="Shipments replaced" value={replaced} />
          </>
        )}
      </dl>
      {notes.map((note) => (
        <p class="hint">{note}</p>
      ))}
      <Problems checked={checked} caption="Rows that would be rejected, in the file's order" />
      {next ? <p class="hint">{next}</p> : null}
    </div>
  );
}

const unknownReport =
  "This looks like an error report, but does not say of which import, so Upload takes it as a new file. To correct its import, give the file the name that it was downloaded with.";

/** `data-report` makes the script show the form's choice: a correction, or a new file. */
const Reported = ({ visit, reported, checked }: { visit: SignedInVisit; reported: ImportRequested; checked: CheckedFile }) => (
  <p class="notice" data-report>
    This is the error report of import <a href={visit.links.to(`/portal/imports/${reported.importId}`)}>{reported.sourceDetails}</a>: submit
    it as its correction. Upload sends the rows that are open and right (<Amount value={checked.accepted} />
    ); the others stay as they are, and the same report can be uploaded again.
  </p>
);

/** The first rows that are at fault. */
export function Problems({ checked: { problems, rejected }, caption }: { checked: CheckedFile; caption: string }) {
  if (problems.length === 0) return null;
  return (
    <>
      <h3>{problems.length < rejected ? `The first ${problems.length} problems` : "Problems"}</h3>
      <Table caption={caption} columns={columns} rows={problems} />
    </>
  );
}

const sentenceOf = (rejected: number, rows: number, what: string): string =>
  rejected === rows ? `Every row would ${what}.` : `${rejected === 1 ? "1 row" : `${rejected} rows`} of ${rows} would ${what}.`;

const Figure = ({ label, value }: { label: string; value: number }) => (
  <div>
    <dt>{label}</dt>
    <dd>
      <Amount value={value} />
    </dd>
  </div>
);

const columns: readonly Column<Problem>[] = [
  { heading: "Row", names: true, cell: ({ row }) => <Amount value={row} /> },
  { heading: "Column", cell: ({ columns: named }) => (named.length === 0 ? <span class="muted">The row</span> : named.join(", ")) },
  { heading: "Problem", cell: ({ reason }) => reason },
];
