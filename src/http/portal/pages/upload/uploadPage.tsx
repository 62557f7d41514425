import { randomBytes } from "node:crypto";
import { type ExampleTable, exampleTable } from "../../../../domain/files/exampleFile.js";
import { limits } from "../../../../domain/imports/limits.js";
import { usedCodes } from "../../../../queries/activities/activityCodes.js";
import type { AnswerOf, PageOf, Shown, SignedInVisit } from "../../page.js";
import { Button, Choice, Field } from "../../shell/form.js";
import { type Cell, type DownloadedTable, downloadTable, type TableFormat } from "../../tableDownloads.js";
import { presentCatalogue } from "../customers.js";
import { CheckOutcome, type Outcome } from "./outcomes.js";
import { checkPath, choosePath, plainCheckPath, uploadPath } from "./paths.js";
import { recognise } from "./receiveForm.js";
import { type Question, UploadQuestion } from "./sameUpload.js";

export const exampleFormats = ["csv", "xlsx"] as const;

export const examplePath = (kind: "shipments" | "activities", type: (typeof exampleFormats)[number]) =>
  `${uploadPath}/example-${kind}.${type}`;

export const kindOptions = [
  { value: "shipments", label: "Shipments" },
  { value: "activities", label: "Activities" },
] as const;

const takeOptions = [
  { value: "correction", label: "Correct the rejected rows" },
  { value: "file", label: "Upload as a new file" },
];

export const uploadPage: PageOf<SignedInVisit> = {
  path: uploadPath,
  access: "operate",
  show: async (visit) => uploadWith(visit),
};

interface After {
  readonly outcome?: Outcome;
  readonly question?: Question;
}

/** The page. Without scripts: after a check with what it found, and after an upload with its question. */
export const uploadWith = (visit: SignedInVisit, { outcome, question }: After = {}): Shown => ({
  title: "Upload a file",
  scripts: ["upload.js"],
  body: (
    <>
      {question ? <UploadQuestion {...question} withoutScripts="choose" /> : null}
      <div class="panel">
        <UploadForm visit={visit} kind={outcome?.kind ?? visit.query["kind"]} question={question} checked={outcome?.fileId} />
      </div>
      <div id="upload-outcome" class="upload-outcome" tabindex={-1}>
        {outcome ? <CheckOutcome {...outcome} /> : null}
      </div>
      <Examples visit={visit} />
    </>
  ),
});

interface UploadFormProps {
  readonly visit: SignedInVisit;
  readonly kind: string | undefined;
  readonly question: Question | undefined;
  /** The file that was checked last, whose place the next one takes. */
  readonly checked: string | undefined;
}

/** Sent as it is by a browser without scripts. The token stands before the file: it is checked before the file is taken. */
function UploadForm({ visit, kind, question, checked }: UploadFormProps) {
  const { links } = visit;
  const { form, earlier, fileId } = question ?? {};
  const reference = form && form.upload.sourceDetails !== form.upload.name ? form.upload.sourceDetails : undefined;
  return (
    <form
      id="upload"
      method="post"
      action={links.to(uploadPath)}
      enctype="multipart/form-data"
      class="stacked"
      data-check={links.to(checkPath)}
      data-send={links.to(`${uploadPath}/send`)}
      data-most={limits.fileBytes}
    >
      <input type="hidden" name="token" value={visit.formToken} />
      <input type="hidden" name="page" value={randomBytes(16).toString("base64url")} />
      <input type="hidden" name="again" value={(!fileId && earlier?.importId) || ""} />
      <input type="hidden" name="checked" value={checked ?? ""} />
      <Choice label="Kind" name="kind" options={[{ value: recognise, label: "Recognise" }, ...kindOptions]} value={form?.kind ?? kind} />
      <div class="field drop" data-drop>
        <label for="field-file">File</label>
        <input id="field-file" type="file" name="file" accept=".csv,.xlsx" required aria-describedby="field-file-hint" />
        <p class="hint" id="field-file-hint">
          CSV or XLSX, up to 50 MB. The first row must have column names, which can be your own.
          <span class="drop-hint"> You can also drop the file here.</span>
        </p>
      </div>
      <Field
        label="Reference"
        name="sourceDetails"
        value={reference}
        required={false}
        maxlength={limits.sourceDetailsLength}
        autocomplete="off"
        hint="The name to find this import by. Leave empty to use the file's name."
      />
      <div data-take>
        <Choice label="Error reports" name="take" options={takeOptions} value={form?.take} />
        <p class="hint">For error reports downloaded here. Each row is corrected only once, even if a report is uploaded twice.</p>
      </div>
      <div class="button-row">
        <Button formaction={links.to(choosePath)} class="quiet" data-choose-button label="Choose columns" />
        <Button formaction={links.to(plainCheckPath)} class="quiet" data-check-button label="Check file" />
        <Button data-upload-button label={question && !question.fileId ? "Upload again" : "Upload"} />
        <Button type="button" class="quiet" data-cancel-button hidden label="Cancel" />
      </div>
      <div class="upload-progress" hidden data-progress>
        <progress max={100} value={0} aria-label="Progress" />
        <span role="status" data-progress-text />
      </div>
    </form>
  );
}

const Examples = ({ visit }: { visit: SignedInVisit }) => (
  <div class="panel">
    <h2>Example files</h2>
    <p>Made with your own columns, customers and codes. You can upload them as they are.</p>
    <ul class="plain-list">
      {kindOptions.flatMap(({ value, label }) =>
        exampleFormats.map((type) => (
          <li>
            <a href={visit.links.to(examplePath(value, type))} download>
              Example of {label.toLowerCase()} ({type.toUpperCase()})
            </a>
          </li>
        )),
      )}
    </ul>
  </div>
);

export const exampleAnswers = kindOptions.flatMap(({ value: kind }) =>
  exampleFormats.map(
    (format): AnswerOf<SignedInVisit> => ({
      method: "GET",
      path: examplePath(kind, format),
      access: "operate",
      answer: async (visit, deps) => {
        const { catalogue, now } = await presentCatalogue(visit, deps);
        const codes = await usedCodes(visit.person.organisationId, deps.pool);
        const example = exampleTable(kind, { catalogue, geography: deps.geography, now, ...codes });
        return downloadTable(visit, deps, { name: `example-${kind}`, sheet: kind, format, table: () => tableOf(example, format) });
      },
    }),
  ),
);

function tableOf({ columns, rows }: ExampleTable, format: TableFormat): DownloadedTable {
  const cellOf = (text: string, column: number): Cell => {
    const type = columns[column]?.type ?? "text";
    if (type === "number" && text !== "") return { decimal: text };
    // Times keep their zone in CSV. A clock in a spreadsheet's cell is the organisation's wall time.
    return type === "time" && text !== "" && format === "xlsx" ? { wallTime: text.replace(/Z$/, "") } : text;
  };
  return {
    columns: columns.map(({ name }) => name),
    rows: (async function* () {
      yield rows.map((cells) => cells.map(cellOf));
    })(),
    texts: new Set(columns.flatMap(({ type }, index) => (type === "text" ? [index] : []))),
  };
}
