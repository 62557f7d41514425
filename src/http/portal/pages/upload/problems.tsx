// Why rows of a file are rejected: by reason, with what stands in the columns at fault and the first rows of each.

import type { FaultyValues, Problem, ProblemGroup, Problems, UnlistedCount } from "../../../../judging/fileChecks.js";
import { countInWords, groupDigits } from "../../shell/formats.js";
import { Amount, withCommas } from "../../shell/parts.js";
import { type Column, Table } from "../../shell/table.js";

interface Props {
  readonly problems: Problems;
  /** What becomes of the rows, for the tables' captions: `would be rejected`. */
  readonly what: string;
  /** The rows are lines of shipments. */
  readonly ofShipments: boolean;
}

export function ProblemList({ problems: { groups, more, inOrder }, what, ofShipments }: Props) {
  if (groups.length === 0) return null;
  const rows = groups.reduce((sum, group) => sum + group.rows, more.rows);
  const named = groups.reduce((sum, { first }) => sum + first.length, 0);
  return (
    <>
      {ofShipments ? <p class="hint">If one line of a shipment has a fault, all its lines are rejected and counted.</p> : null}
      <ProblemGroups groups={groups} what={what} />
      {more.rows > 0 ? <p class="hint">And {restInWords(more, ["more reason", "more reasons"], "with")}.</p> : null}
      {named === rows ? null : (
        <details class="problems-in-order">
          <summary>{rows > inOrder.length ? `The first ${inOrder.length} problems` : "All problems"}, row by row</summary>
          <Table caption={`Rows that ${what}, in the file's order`} columns={[...placeColumns, problemColumn]} rows={inOrder} />
        </details>
      )}
    </>
  );
}

export const ProblemGroups = ({ groups, what }: { groups: Problems["groups"]; what: string }) => (
  <>
    {groups.map((group) => (
      <Group group={group} what={what} />
    ))}
  </>
);

function Group({ group: { reason, rows, withShipment, values, first }, what }: { group: ProblemGroup; what: string }) {
  const reasons = new Set(first.map((problem) => problem.reason));
  const [common] = reasons.size === 1 ? reasons : [reason];
  const others = rows - first.length;
  return (
    <div class="problem-group">
      <div>
        <h3>
          {reason} <span class="count">{countInWords(rows, "row")}</span>
        </h3>
        {common === reason ? null : <p>{common}</p>}
        {values.map((each) => (
          <Values of={each} />
        ))}
      </div>
      <div>
        {first.length === 0 ? null : (
          <Table
            caption={`${others > 0 ? "The first rows" : "Rows"} that ${what} for this reason`}
            columns={reasons.size > 1 ? [...rowColumns, problemColumn] : rowColumns}
            rows={first}
          />
        )}
        {others > 0 ? (
          <p class="hint">
            And {countInWords(others, "more row")}
            {withShipment > 0 ? `, ${groupDigits(withShipment)} without a fault of ${withShipment === 1 ? "its" : "their"} own` : null}.
          </p>
        ) : null}
      </div>
    </div>
  );
}

const Values = ({ of: { columns, moreColumns, values, more } }: { of: FaultyValues }) => (
  <div class="faulty-values">
    <span class="muted">{namesOf({ columns, moreColumns })}</span>
    <ul>
      {values.map(({ value, rows }) => (
        <li>
          <Value text={value} /> <Amount value={rows} /> <span class="unseen">{rows === 1 ? "row" : "rows"}</span>
        </li>
      ))}
      {more.rows > 0 ? <li class="muted">and {restInWords(more, ["other value", "other values"], "in")}</li> : null}
    </ul>
  </div>
);

const Value = ({ text }: { text: string }) => (text === "" ? <span class="muted">blank</span> : <code>{text}</code>);

const namesOf = ({ columns, moreColumns }: Pick<FaultyValues, "columns" | "moreColumns">): string =>
  `${columns.join(", ")}${moreColumns > 0 ? ` and ${moreColumns} more` : ""}`;

/** `12 more reasons, with 345 rows`. */
function restInWords({ kinds, rows, atLeast }: UnlistedCount, [one, many]: readonly [string, string], joined: "with" | "in"): string {
  const counts = countInWords(rows, "row");
  if (!atLeast) return `${countInWords(kinds, one, many)}, ${joined} ${counts}`;
  return kinds === 0 ? `${many}, ${joined} ${counts}` : `more than ${countInWords(kinds, one, many)}, ${joined} ${counts}`;
}

const placeColumns: readonly Column<Omit<Problem, "values">>[] = [
  { heading: "Row", names: true, value: ({ row }) => row },
  { heading: "Column", cell: (problem) => (problem.columns.length === 0 ? <span class="muted">Whole row</span> : namesOf(problem)) },
];
const valueColumn: Column<Problem> = {
  heading: "Value",
  cell: ({ values }) => (values.length === 0 ? <span class="muted">-</span> : withCommas(values.map((text) => <Value text={text} />))),
};
const rowColumns = [...placeColumns, valueColumn];
const problemColumn: Column<Pick<Problem, "reason">> = { heading: "Problem", value: ({ reason }) => reason };
