// Findings in a draft's file: rows that would be rejected, unusual rows, and the outcome of a sent error report.
import type { FileCheckState, FoundInFile, KeptFile } from "../../../../commands/imports/keptFiles.js";
import { groupedBy } from "../../../../domain/groupedBy.js";
import type { ImportRequested } from "../../../../events/importEvents.js";
import type { ClosedRows, FaultyValues, Problems, RowProblem, UnlistedCount, UnusualInFile } from "../../../../judging/fileChecks.js";
import { countInWords, groupDigits } from "../../shell/formats.js";
import { Amount, ButtonLink, type Fact, Facts, Link, Panel, PlainList, withCommas } from "../../shell/markup.js";
import { type Column, Table } from "../../shell/table.js";
import { type EarlierPush, importPath, PushInWords } from "../imports/importStatus.js";
import { problemRowsPath } from "./drafts.js";

export function DraftFindings({ draft, found, isReport }: { draft: KeptFile; found: FoundInFile; isReport: boolean }) {
  const { fileId, kind, checked } = draft;
  const { rows, accepted, rejected, shipments, replaced, problems } = found;
  const figures: [label: string, value: number][] = [
    ["Rows", rows],
    ["Rows accepted", accepted],
    ["Rows rejected", rejected],
  ];
  if (shipments !== null) figures.push(["New shipments", shipments - replaced], ["Shipments replaced", replaced]);
  const wasSent = checked.sent !== undefined;
  return (
    <Panel id="found" title="Checked" class="found">
      {wasSent ? null : (
        <p class={`notice ${rejected === 0 ? "done" : "error"}`}>
          {isReport ? reportSentence(found) : rejected === 0 ? "Every row would be accepted." : sentenceOf(rejected, rows, "be rejected")}{" "}
          {isReport ? null : uploadOutcome(accepted, rejected)}
        </p>
      )}
      <ClosedRowCounts found={found} />
      <Facts class="figures" facts={figures.map(([label, value]): Fact => [label, <Amount value={value} />])} />
      {rejected > 0 && !isReport ? (
        <p>
          <ButtonLink to={problemRowsPath(fileId)} label={`Download ${countInWords(rejected, "problem row")}`} quiet />
        </p>
      ) : null}
      <ProblemList problems={problems} outcome={wasSent ? "were not sent" : "would be rejected"} ofShipments={kind === "shipments"} />
    </Panel>
  );
}

function uploadOutcome(accepted: number, rejected: number): string {
  if (accepted === 0) return "There is nothing to upload. Correct the file, and check it again.";
  if (rejected === 0) return "";
  const [others, become] =
    rejected === 1 ? ["the other one", "becomes a rejected row"] : [`the other ${groupDigits(rejected)}`, "become rejected rows"];
  return `The import takes the whole file: ${others} ${become}, to be corrected or dismissed under Rejected rows.`;
}

const reportSentence = ({ rows, accepted, rejected }: FoundInFile): string => {
  if (rejected > 0) return sentenceOf(rejected, accepted + rejected, "not be sent");
  if (accepted === rows) return "Every row would be accepted.";
  return accepted === 0 ? "None of its rows is open any more." : "Every open row would be accepted.";
};

const sentenceOf = (rejected: number, rows: number, outcome: string): string =>
  rejected === rows ? `Every row would ${outcome}.` : `${countInWords(rejected, "row")} of ${groupDigits(rows)} would ${outcome}.`;

const closedNames: Readonly<Record<Exclude<ClosedRows["state"], "submitted">, readonly [one: string, many: string]>> = {
  corrected: ["row that is corrected already", "rows that are corrected already"],
  dismissed: ["row that is dismissed", "rows that are dismissed"],
  superseded: ["row whose shipment was written later", "rows whose shipments were written later"],
  withdrawn: ["row that is withdrawn with its import", "rows that are withdrawn with their import"],
};

const sumOfRows = (counts: readonly { readonly rows: number }[]) => counts.reduce((sum, { rows }) => sum + rows, 0);

/** One line that counts the closed rows of an error report. */
function ClosedRowCounts({ found: { report } }: { found: FoundInFile }) {
  const groups = groupedBy(report?.closed ?? [], ({ state }) => closedNames[state === "submitted" ? "corrected" : state]);
  if (groups.size === 0) return null;
  const counts = [...groups].map(([names, closed]) => countInWords(sumOfRows(closed), ...names));
  return <p>Left out: {counts.join(", ")}.</p>;
}

interface UnusualProps {
  readonly unusual: UnusualInFile;
  /** The number of rows in the file. */
  readonly rows: number;
  /** The imports of `unusual.recorded`. */
  readonly earlier: readonly EarlierPush[];
}

/** Rows that the import would accept, but that may be wrong. */
export const UnusualPanel = ({ unusual: { count, groups, recorded, otherImports }, rows, earlier }: UnusualProps) => (
  <Panel id="unusual" title="Unusual" class="found">
    <p class="notice warn">
      {countInWords(count, "row")} of {groupDigits(rows)} would be accepted, but may be wrong. Look at them before they are billed.
    </p>
    {earlier.length === 0 ? null : (
      <ul class="plain-list">
        {earlier.map((push, index) => (
          <li>
            {groupDigits(recorded[index]?.rows ?? 0)} of {countInWords(rows, "row")} {recorded[index]?.rows === 1 ? "is" : "are"} already
            recorded by <PushInWords earlier={push} />.
          </li>
        ))}
        {otherImports > 0 ? <li>More are recorded by {countInWords(otherImports, "other import")}.</li> : null}
      </ul>
    )}
    <ProblemGroups groups={groups} outcome="are unusual" />
  </Panel>
);

interface SentReportProps {
  /** The import whose error report was uploaded. */
  readonly corrects: ImportRequested;
  readonly sent: NonNullable<FileCheckState["sent"]>;
  readonly found: FoundInFile | undefined;
}

/** The outcome of a corrected error report of which not all rows could be sent, or that became several imports. */
export const SentReport = ({ corrects, sent: { importIds, refused }, found }: SentReportProps) => (
  <Panel id="sent" title={importIds.length === 0 ? "Nothing was sent" : "Sent as a correction"}>
    <p class={`notice ${importIds.length === 0 || refused ? "error" : "done"}`} role="status">
      {importIds.length === 0 ? (
        "None of its rows can be sent: each is still at fault, or no longer open."
      ) : refused ? (
        `A part of it was sent. ${refused}`
      ) : (
        <>
          Its open rows were sent as a correction of <Link to={importPath(corrects.importId)}>{corrects.sourceDetails}</Link>.
        </>
      )}
      {found && found.rejected > 0
        ? ` ${countInWords(found.rejected, "row was", "rows were")} not sent. What is open stays open: put it right in the same report and upload it again.`
        : null}
    </p>
    <PlainList
      items={importIds.map((importId, index) => (
        <Link to={importPath(importId)}>
          {importIds.length === 1 ? "Open the import" : `Open import ${index + 1} of ${importIds.length}`}
        </Link>
      ))}
    />
  </Panel>
);

interface ProblemListProps {
  readonly problems: Problems;
  /** What happens to the rows, for the tables' captions, such as `would be rejected`. */
  readonly outcome: string;
  /** The rows are lines of shipments. */
  readonly ofShipments: boolean;
}

function ProblemList({ problems: { groups, more, inOrder }, outcome, ofShipments }: ProblemListProps) {
  if (groups.length === 0) return null;
  const rows = sumOfRows(groups) + more.rows;
  const listedRows = groups.reduce((sum, { first }) => sum + first.length, 0);
  return (
    <>
      {ofShipments ? <p class="hint">If one line of a shipment has a fault, all its lines are rejected and counted.</p> : null}
      <ProblemGroups groups={groups} outcome={outcome} />
      {more.rows > 0 ? <p class="hint">And {restInWords(more, ["more reason", "more reasons"], "with")}.</p> : null}
      {listedRows === rows ? null : (
        <details class="problems-in-order">
          <summary>{rows > inOrder.length ? `The first ${inOrder.length} problems` : "All problems"}, row by row</summary>
          <Table caption={`Rows that ${outcome}, in the file's order`} columns={[...placeColumns, problemColumn]} rows={inOrder} />
        </details>
      )}
    </>
  );
}

const ProblemGroups = ({ groups, outcome }: { groups: Problems["groups"]; outcome: string }) => (
  <>
    {groups.map(({ reason, rows, withShipment, values, first }) => {
      const reasons = new Set(first.map((problem) => problem.reason));
      const [commonReason] = reasons.size === 1 ? reasons : [reason];
      const unlistedRows = rows - first.length;
      return (
        <div class="problem-group">
          <div>
            <h3>
              {reason} <span class="count">{countInWords(rows, "row")}</span>
            </h3>
            {commonReason === reason ? null : <p>{commonReason}</p>}
            {values.map((each) => (
              <FaultyValueList faulty={each} />
            ))}
          </div>
          <div>
            {first.length === 0 ? null : (
              <Table
                caption={`${unlistedRows > 0 ? "The first rows" : "Rows"} that ${outcome} for this reason`}
                columns={reasons.size > 1 ? [...rowColumns, problemColumn] : rowColumns}
                rows={first}
              />
            )}
            {unlistedRows > 0 ? (
              <p class="hint">
                And {countInWords(unlistedRows, "more row")}
                {withShipment > 0 ? `, ${groupDigits(withShipment)} without a fault of ${withShipment === 1 ? "its" : "their"} own` : null}.
              </p>
            ) : null}
          </div>
        </div>
      );
    })}
  </>
);

const FaultyValueList = ({ faulty: { columns, moreColumns, values, more } }: { faulty: FaultyValues }) => (
  <div class="faulty-values">
    <span class="muted">{namesOf({ columns, moreColumns })}</span>
    <ul>
      {values.map(({ value, rows }) => (
        <li>
          <ValueText text={value} /> <Amount value={rows} /> <span class="unseen">{rows === 1 ? "row" : "rows"}</span>
        </li>
      ))}
      {more.rows > 0 ? <li class="muted">and {restInWords(more, ["other value", "other values"], "in")}</li> : null}
    </ul>
  </div>
);

const ValueText = ({ text }: { text: string }) => (text === "" ? <span class="muted">blank</span> : <code>{text}</code>);

const namesOf = ({ columns, moreColumns }: Pick<FaultyValues, "columns" | "moreColumns">): string =>
  `${columns.join(", ")}${moreColumns > 0 ? ` and ${moreColumns} more` : ""}`;

/** Such as `12 more reasons, with 345 rows`. */
function restInWords({ kinds, rows, atLeast }: UnlistedCount, [one, many]: readonly [string, string], joined: "with" | "in"): string {
  const counts = countInWords(rows, "row");
  if (!atLeast) return `${countInWords(kinds, one, many)}, ${joined} ${counts}`;
  return kinds === 0 ? `${many}, ${joined} ${counts}` : `more than ${countInWords(kinds, one, many)}, ${joined} ${counts}`;
}

const placeColumns: readonly Column<Omit<RowProblem, "values">>[] = [
  { heading: "Row", isRowHeader: true, value: ({ row }) => row },
  { heading: "Column", cell: (problem) => (problem.columns.length === 0 ? <span class="muted">Whole row</span> : namesOf(problem)) },
];
const valueColumn: Column<RowProblem> = {
  heading: "Value",
  cell: ({ values }) => (values.length === 0 ? <span class="muted">-</span> : withCommas(values.map((text) => <ValueText text={text} />))),
};
const rowColumns = [...placeColumns, valueColumn];
const problemColumn: Column<Pick<RowProblem, "reason">> = { heading: "Problem", value: ({ reason }) => reason };
