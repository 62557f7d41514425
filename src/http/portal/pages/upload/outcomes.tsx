// What the upload page shows after a file was checked, or sent as a correction.
import type { CompletedImport } from "../../../../commands/corrections/correctableRows.js";
import type { NameOf } from "../../../../domain/principal.js";
import type { ImportColumns, ImportKind, ImportRequested } from "../../../../events/importEvents.js";
import type { CheckedFile, ClosedRows } from "../../../../judging/fileChecks.js";
import type { SignedInVisit } from "../../page.js";
import { Button, ButtonLink } from "../../shell/form.js";
import { counted } from "../../shell/formats.js";
import { type Fact, Facts } from "../../shell/panel.js";
import { Amount } from "../../shell/values.js";
import { type EarlierPush, PushInWords } from "../imports/sameFile.js";
import { importPath } from "../imports/status.js";
import { ColumnsChosen, FilledIn } from "./columns/chosenLine.js";
import { KeptForm } from "./keptForm.js";
import { NotesOnFile } from "./notesOnFile.js";
import { problemRowsPath } from "./paths.js";
import { ProblemList } from "./problems.js";

export interface Outcome {
  readonly visit: SignedInVisit;
  readonly name: string;
  readonly kind: ImportKind;
  readonly checked: CheckedFile;
  /** How many of its shipments the ledger has already. */
  readonly replaced: number;
  /** The import whose error report the file is, where it is one. */
  readonly reported: ImportRequested | undefined;
  /** That import is reversed as a whole. */
  readonly isWithdrawn: boolean;
  /** True for an error report that does not say which import it is of. */
  readonly ofUnknown: boolean;
  /** The import that has the same file, where there is one. */
  readonly earlier: EarlierPush | undefined;
  /** The file as it is kept for the upload; undefined where it could not be kept. */
  readonly fileId: string | undefined;
  /** What its columns are taken for, where that was chosen for an earlier file. */
  readonly chosen?: { readonly columns: ImportColumns; readonly nameOf: NameOf } | undefined;
}

interface CheckOutcomeProps extends Outcome {
  /** The id of the form that uploads the file, where the page has one with what was chosen for it. */
  readonly form?: string;
}

export function CheckOutcome(outcome: CheckOutcomeProps) {
  const { visit, name, kind, checked, replaced, reported, isWithdrawn, ofUnknown, earlier, chosen } = outcome;
  const { rows, accepted, rejected, shipments, notes } = checked;
  const figures: [label: string, value: number][] = [
    ["Rows", rows],
    ["Rows accepted", accepted],
    ["Rows rejected", rejected],
  ];
  if (shipments !== null) figures.push(["New shipments", shipments - replaced], ["Shipments replaced", replaced]);
  return (
    <div class="panel">
      <h2>Checked: {name}</h2>
      {chosen ? (
        <>
          <p>
            <ColumnsChosen visit={visit} kind={kind} {...chosen} />
          </p>
          <FilledIn kind={kind} columns={chosen.columns} />
        </>
      ) : null}
      {reported ? <Reported visit={visit} reported={reported} isWithdrawn={isWithdrawn} checked={checked} /> : null}
      {ofUnknown ? <p class="notice">{unknownReport}</p> : null}
      {earlier ? (
        <p class="notice warn">
          This is the same file as <PushInWords visit={visit} earlier={earlier} />. Upload asks before it goes on.
        </p>
      ) : null}
      <NotesOnFile notes={notes} />
      <p class={`notice ${rejected === 0 ? "done" : "error"}`} role="status">
        {reported ? reportSentence(checked) : rejected === 0 ? "Every row would be accepted." : sentenceOf(rejected, rows, "be rejected")}{" "}
        Nothing has been recorded.
      </p>
      <Next {...outcome} />
      <LeftOut checked={checked} />
      <Facts class="figures" facts={figures.map(([label, value]): Fact => [label, <Amount value={value} />])} />
      <ProblemList problems={checked.problems} what="would be rejected" ofShipments={kind === "shipments"} />
    </div>
  );
}

/** How to go on: what was checked is uploaded as it is, without being chosen again. */
function Next({ visit, checked: { accepted, rejected }, reported, fileId, form }: CheckOutcomeProps) {
  if (fileId === undefined) return <p class="hint">The file could not be kept. To upload it, choose it again.</p>;
  const label = `Upload ${counted(accepted, "valid row", "valid rows")}`;
  return (
    <div class="check-next" data-checked={fileId}>
      {accepted === 0 ? null : form ? (
        <Button form={form} name="do" value="upload" label={label} />
      ) : (
        <KeptForm visit={visit} fileId={fileId} label={label} />
      )}
      {rejected > 0 && !reported ? (
        <ButtonLink
          to={visit.links.to(problemRowsPath(fileId))}
          label={`Download ${counted(rejected, "problem row", "problem rows")}`}
          quiet
        />
      ) : null}
      {reported ? null : <p class="hint">{whatBecomes(accepted, rejected)}</p>}
    </div>
  );
}

function whatBecomes(accepted: number, rejected: number): string {
  if (accepted === 0) return "No row is valid, so there is nothing to upload. Correct the file, and check it again.";
  const kept = "The file is kept for a day.";
  if (rejected === 0) return kept;
  const [others, become] =
    rejected === 1 ? ["the other one", "becomes a rejected row"] : [`the other ${inWords(rejected)}`, "become rejected rows"];
  return `The import takes the whole file: ${others} ${become}, to be corrected or dismissed under Rejected rows. ${kept}`;
}

const reportSentence = ({ rows, accepted, rejected }: CheckedFile): string => {
  if (rejected > 0) return sentenceOf(rejected, accepted + rejected, "not be sent");
  if (accepted === rows) return "Every row would be accepted.";
  return accepted === 0 ? "None of its rows is open any more." : "Every open row would be accepted.";
};

const closedNames: Readonly<Record<ClosedRows["state"], readonly [one: string, many: string]>> = {
  corrected: ["row that is corrected already", "rows that are corrected already"],
  submitted: ["row that is corrected already", "rows that are corrected already"],
  dismissed: ["row that is dismissed", "rows that are dismissed"],
  superseded: ["row whose shipment was written later", "rows whose shipments were written later"],
  withdrawn: ["row that is withdrawn with its import", "rows that are withdrawn with their import"],
};

/** One line for all rows of a report that are not open any more. */
function LeftOut({ checked: { report } }: { checked: CheckedFile }) {
  const counts = new Map<readonly [string, string], number>();
  for (const { state, rows } of report?.closed ?? []) {
    const names = closedNames[state === "submitted" ? "corrected" : state];
    counts.set(names, (counts.get(names) ?? 0) + rows);
  }
  if (counts.size === 0) return null;
  return <p>Left out: {[...counts].map(([[one, many], rows]) => counted(rows, one, many)).join(", ")}.</p>;
}

const unknownReport =
  "This looks like an error report, but does not say of which import, so Upload takes it as a new file. If it is the report of an import, give it the name that it was downloaded with, to correct that import's rows.";

/** `data-report` makes the script show the form's choice: a correction, or a new file. */
function Reported({ visit, reported, isWithdrawn, checked }: ReportedProps) {
  const link = <a href={visit.links.to(importPath(reported.importId))}>{reported.sourceDetails}</a>;
  return isWithdrawn ? (
    <p class="notice" data-report>
      This is the error report of import {link}, which is reversed: its rejected rows are withdrawn, and none of them can be corrected.
    </p>
  ) : (
    <p class="notice" data-report>
      This is the error report of import {link}: submit it as its correction. Upload sends the rows that are open and right (
      <Amount value={checked.accepted} />
      ); the others stay as they are, and the same report can be uploaded again.
    </p>
  );
}

interface ReportedProps {
  readonly visit: SignedInVisit;
  readonly reported: ImportRequested;
  readonly isWithdrawn: boolean;
  readonly checked: CheckedFile;
}

const sentenceOf = (rejected: number, rows: number, what: string): string =>
  rejected === rows ? `Every row would ${what}.` : `${counted(rejected, "row", "rows")} of ${inWords(rows)} would ${what}.`;

const inWords = (count: number): string => count.toLocaleString("en-AU");

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
            <a href={visit.links.to(importPath(found.request.importId))}>{found.request.sourceDetails}</a>.
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
            <a href={visit.links.to(importPath(importId))}>
              {sent.length === 1 ? "Open the import" : `Open import ${index + 1} of ${sent.length}`}
            </a>
          </li>
        ))}
      </ul>
      <LeftOut checked={checked} />
      <ProblemList problems={checked.problems} what="were not sent" ofShipments={found.request.kind === "shipments"} />
    </div>
  );
}
