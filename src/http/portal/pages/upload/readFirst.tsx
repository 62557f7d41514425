// A file is read before it goes in: no row may contradict how its dates and numbers are read, and remembered fixed values are shown.
import { keptFile } from "../../../../commands/imports/keptFiles.js";
import { isSameChoice } from "../../../../domain/imports/columns/choice.js";
import type { ImportColumns, ImportKind } from "../../../../events/importEvents.js";
import { TooBusy } from "../../../../portErrors.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import type { Line } from "../../lines.js";
import type { PortalDeps, SignedInVisit } from "../../page.js";
import { ButtonLink } from "../../shell/form.js";
import type { EndedUpload } from "./askOrAccept.js";
import { FilledIn } from "./columns/chosenLine.js";
import { columnsOfKept, isContradicted, keepToChoose, readFileEvidence } from "./columns/columnsOfFile.js";
import { keepChecked } from "./keepChecked.js";
import { KeptForm } from "./keptForm.js";
import { NotesOnFile } from "./notesOnFile.js";
import type { ReceivedForm } from "./receiveForm.js";

interface FileToRead {
  readonly form: ReceivedForm;
  readonly header: FileHeader;
  /** Set where nobody has said what its columns are. */
  readonly toChoose: boolean;
  /** What is remembered for files with these headings. */
  readonly columns: ImportColumns | undefined;
  readonly goOn: () => Promise<EndedUpload>;
}

/** Numbers that can be read in two ways, or only in another one, are asked about, like a remembered choice that a row contradicts. */
export async function readFirst(
  visit: SignedInVisit,
  deps: PortalDeps,
  { toChoose, columns, goOn, ...file }: FileToRead,
  say: (line: Line) => void,
  signal: AbortSignal,
): Promise<EndedUpload> {
  const evidence = await readFileEvidence(visit, deps, file, say, signal);
  signal.throwIfAborted();
  await visit.stillAllowed(); // reading the file may have taken minutes
  if (toChoose || (await isContradicted(visit, deps, file, { columns, evidence })))
    return { goTo: await keepToChoose(visit, deps, file, evidence) };
  if (!columns || Object.keys(columns.fixed ?? {}).length === 0) return goOn();
  const fileId = await keepChecked(visit, deps, { ...file, columns, evidence });
  if (fileId === undefined) throw new TooBusy("The file could not be kept, try again shortly");
  const { kind, upload } = file.form;
  return {
    outcome: <ValuesToFillIn visit={visit} kind={kind} name={upload.name} notes={file.header.notes} columns={columns} fileId={fileId} />,
  };
}

/** Whether this file was checked with these columns from the same page. */
export async function wasChecked(
  visit: SignedInVisit,
  deps: PortalDeps,
  { kind, checked, upload }: ReceivedForm,
  columns: ImportColumns | undefined,
) {
  const kept = checked === "" ? undefined : await keptFile(visit.person.organisationId, checked, deps.pool);
  if (!kept?.checked || kept.kind !== kind || kept.file.sha256 !== upload.sha256) return false;
  const { columns: before } = kept.checked;
  return before && columns ? isSameChoice(before, columns) : before === columns;
}

interface ValuesProps {
  readonly visit: SignedInVisit;
  readonly kind: ImportKind;
  readonly name: string;
  readonly notes: readonly string[];
  readonly columns: ImportColumns;
  /** The file as it is kept until the button is pressed. */
  readonly fileId: string;
}

/** The fixed values that are remembered for a file, before they are recorded with it. */
const ValuesToFillIn = ({ visit, kind, name, notes, columns, fileId }: ValuesProps) => (
  <section class="panel" aria-labelledby="to-fill-in" data-checked={fileId}>
    <h2 id="to-fill-in">Values for every row</h2>
    <p class="notice warn" role="status">
      Every row of {name} gets these values, as chosen for files with its columns. Nothing has been recorded yet.
    </p>
    <NotesOnFile notes={notes} />
    <FilledIn kind={kind} columns={columns} />
    <div class="button-row">
      <KeptForm visit={visit} fileId={fileId} label="Upload with these values" />
      <ButtonLink to={visit.links.to(columnsOfKept(fileId))} label="Change columns" quiet />
    </div>
  </section>
);
