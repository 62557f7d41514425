// What a person is told about how a file is read, before anything is recorded.
import type { SignedInVisit } from "../../page.js";
import { KeptForm } from "./keptForm.js";

export const NotesOnFile = ({ notes }: { notes: readonly string[] }) => (
  <>
    {notes.map((note) => (
      <p class="notice warn">{note}</p>
    ))}
  </>
);

interface SheetsQuestionProps {
  readonly visit: SignedInVisit;
  readonly name: string;
  readonly notes: readonly string[];
  /** The file as it is kept. */
  readonly fileId: string;
}

export const SheetsQuestion = ({ visit, name, notes, fileId }: SheetsQuestionProps) => (
  <section class="panel" aria-labelledby="other-sheets">
    <h2 id="other-sheets">{name} has rows on other sheets</h2>
    <NotesOnFile notes={notes} />
    <p role="status">Nothing has been recorded yet.</p>
    <div class="button-row">
      <KeptForm visit={visit} fileId={fileId} label="Upload the first sheet" />
    </div>
  </section>
);
