import type { CheckedFile, Problem } from "../../../../commands/imports/judging/fileChecks.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import { type Column, Table } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";

interface Outcome {
  readonly name: string;
  readonly kind: ImportKind;
  readonly checked: CheckedFile;
  /** Of its shipments, those that the ledger has already. */
  readonly replaced: number;
}

/** What the check found, as markup for the page's script to put in its place. */
export const checkOutcome = (outcome: Outcome): string => String(<CheckOutcome {...outcome} />);

function CheckOutcome({ name, checked, replaced }: Outcome) {
  const { rows, accepted, rejected, shipments, problems, notes } = checked;
  return (
    <div class="panel">
      <h2>Checked: {name}</h2>
      <p class={`notice ${rejected === 0 ? "done" : "error"}`} role="status">
        {rejected === 0 ? "Every row would be accepted." : sentenceOf(rejected, rows)} Nothing has been recorded.
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
      {problems.length === 0 ? null : (
        <>
          <h3>{problems.length < rejected ? `The first ${problems.length} problems` : "Problems"}</h3>
          <Table caption="Rows that would be rejected, in the file's order" columns={columns} rows={problems} />
        </>
      )}
    </div>
  );
}

const sentenceOf = (rejected: number, rows: number): string =>
  rejected === rows ? "Every row would be rejected." : `${rejected === 1 ? "1 row" : `${rejected} rows`} of ${rows} would be rejected.`;

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
