import { randomBytes } from "node:crypto";
import type { Child } from "hono/jsx";
import { limits } from "../../../../domain/imports/limits.js";
import { importKinds } from "../../../../events/importEvents.js";
import { definePage, type SignedInVisit } from "../../pageDefinition.js";
import { Button, Choice, Field, Form } from "../../shell/form.js";
import { Link, PlainList, withQuery } from "../../shell/parts.js";
import { kindNames } from "../imports/importStatus.js";
import { uploadPath } from "./drafts.js";
import { exampleFormats, examplePath } from "./examples.js";

/** The form's kind of a file whose headings say what it is. */
export const recognise = "recognise";

export const kindOptions = importKinds.map((value) => ({ value, label: kindNames[value] }));

export const uploadPage = definePage(uploadPath, "operate", async (visit) => ({
  title: "Upload a file",
  scripts: ["upload.js"],
  body: (
    <>
      <div class="panel">
        <UploadForm visit={visit} />
      </div>
      <div class="panel">
        <h2>Example files</h2>
        <p>Made with your own columns, customers and codes. You can upload them as they are.</p>
        <PlainList
          items={kindOptions.flatMap(({ value, label }) =>
            exampleFormats.map((type) => (
              <Link to={examplePath(value, type)} download>
                Example of {label.toLowerCase()} ({type.toUpperCase()})
              </Link>
            )),
          )}
        />
      </div>
    </>
  ),
}));

/** Sent as it is by a browser without scripts. The token stands before the file: it is checked before the file is taken. */
function UploadForm({ visit }: { visit: SignedInVisit }) {
  const { links, query } = visit;
  const hidden = { page: randomBytes(16).toString("base64url"), instead: query["instead"] };
  return (
    <Form id="upload" to={uploadPath} enctype="multipart/form-data" data-most={limits.fileBytes} hidden={hidden}>
      <Choice label="Kind" name="kind" options={[{ value: recognise, label: "Recognise" }, ...kindOptions]} value={query["kind"]} />
      <div class="field drop" data-drop>
        <label for="field-file">File</label>
        <input id="field-file" type="file" name="file" accept=".csv,.xlsx" required aria-describedby="field-file-hint" />
        <p class="hint" id="field-file-hint">
          CSV or XLSX, up to 50 MB. The first row must have column names, which can be your own. A corrected error report goes here too.
          <span class="drop-hint"> You can also drop the file here.</span>
        </p>
      </div>
      <Field
        label="Reference"
        name="sourceDetails"
        required={false}
        maxlength={limits.sourceDetailsLength}
        autocomplete="off"
        hint="The name to find this import by. Leave empty to use the file's name."
      />
      <UploadButtons checkAt={links.to(withQuery(uploadPath, { do: "check" }))} />
    </Form>
  );
}

interface UploadButtonsProps {
  /** The address for `Check file`, of a form whose own fields do not say which button was pressed. */
  readonly checkAt?: string;
  readonly label?: string;
  readonly children?: Child;
}

/** The end of a form that is about a file: its buttons, how far the file is, and why it was refused, for the script. */
export const UploadButtons = ({ checkAt, label = "Upload", children }: UploadButtonsProps) => (
  <>
    <div class="button-row">
      <Button
        {...(checkAt ? { formaction: checkAt } : { name: "do", value: "check" })}
        class="quiet"
        data-check-button
        label="Check file"
      />
      {label === "" ? null : <Button {...(checkAt ? {} : { name: "do", value: "upload" })} label={label} />}
      {children}
      <Button type="button" class="quiet" data-cancel-button hidden label="Cancel" />
    </div>
    <div class="upload-progress" hidden data-progress>
      <progress max={100} value={0} aria-label="Progress" />
      <span role="status" data-progress-text />
    </div>
    <div data-refusal />
  </>
);
