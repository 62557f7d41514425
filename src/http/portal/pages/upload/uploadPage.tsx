// The form that uploads a file. The file is kept as a draft, whose page asks any further questions.
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import type { Child } from "hono/jsx";
import { v5 } from "uuid";
import { readUploadHeader } from "../../../../commands/imports/acceptFile.js";
import { dropKeptFile, findKeptFile, keepFile } from "../../../../commands/imports/keptFiles.js";
import { matchImportHeader, recogniseReport } from "../../../../domain/files/header.js";
import { headingsIn, headingsKey } from "../../../../domain/imports/columns/headings.js";
import { likelyKind } from "../../../../domain/imports/columns/suggest.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import { type ImportKind, importKinds } from "../../../../events/importEvents.js";
import { TooBusy } from "../../../../portErrors.js";
import { rememberedColumns } from "../../../../queries/organisations/columnChoices.js";
import type { Upload } from "../../../server/receiveUpload.js";
import { defineForm, definePage, type PortalDeps, type SignedInVisit, type Work } from "../../pageDefinition.js";
import { Button, Choice, Field, Form } from "../../shell/form.js";
import { Link, PlainList, withQuery } from "../../shell/markup.js";
import { receiveFormFile } from "../../visits.js";
import { currentCatalogue } from "../customers.js";
import { importPath, kindNames } from "../imports/importStatus.js";
import { reportedImport, uploadPath } from "./drafts.js";
import { exampleFormats, examplePath } from "./examples.js";
import { orDraftImport } from "./recordDraft.js";
import { type DraftStep, enterDraftWork, tooSlow, workOnDraft } from "./workOnDraft.js";

/** The form's choice to derive the kind from the file's headings. */
const recogniseOption = "recognise";
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

/** Works without scripts. The form's token comes before the file, so that it is checked before the file is received. */
function UploadForm({ visit }: { visit: SignedInVisit }) {
  const { links, query } = visit;
  const hidden = { page: randomBytes(16).toString("base64url"), instead: query["instead"] };
  return (
    <Form id="upload" to={uploadPath} enctype="multipart/form-data" data-most={limits.fileBytes} hidden={hidden}>
      <Choice label="Kind" name="kind" options={[{ value: recogniseOption, label: "Recognise" }, ...kindOptions]} value={query["kind"]} />
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

/**
 * The end of a form about a file: its buttons, and the elements in which the script shows the progress and a refusal. `checkAt` is the
 * address that `Check file` sends to, for a form whose fields do not say which button was pressed. An empty `label` omits the other button.
 */
export const UploadButtons = ({ checkAt, label = "Upload", children }: { checkAt?: string; label?: string; children?: Child }) => (
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

export const uploadForm = defineForm(uploadPage, { subPath: "", body: "upload" }, (visit, _, deps) =>
  takeUpload(visit, deps, visit.query["do"] === "check" ? "check" : "upload", () =>
    receiveFormFile(visit, deps, ["kind", "page", "instead"]),
  ),
);

/** Receives the file into a new folder. Returns the work that makes a draft of the file and works on it, and then removes the folder. */
export async function takeUpload(visit: SignedInVisit, deps: PortalDeps, act: DraftStep["act"], receive: () => Promise<Upload>) {
  const leave = await enterDraftWork(visit, deps, act);
  let upload: Upload | undefined;
  const end = async () => {
    leave();
    if (upload) await rm(upload.folder, { recursive: true, force: true });
  };
  try {
    upload = await receive();
    const workOnFile = await workOnUpload(visit, deps, act, upload);
    const work: Work["work"] = (...workArgs) => workOnFile(...workArgs).finally(end);
    return { tooSlow: tooSlow[act], work };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Returns the work on a received file. Sending the same form again leads to the same draft, and so to the same import. */
async function workOnUpload(visit: SignedInVisit, deps: PortalDeps, act: DraftStep["act"], upload: Upload): Promise<Work["work"]> {
  const { organisationId, memberId } = visit.person;
  const { path, folder, name, size, sha256, sourceDetails, fields } = upload;
  const header = await readUploadHeader(deps, organisationId, upload);
  const { columns, format, notes } = header;
  const checked = { take: "", undecided: true, report: recogniseReport({ ...header, name }) };
  const reported = await reportedImport(visit, deps, checked);
  const kind = reported?.request.kind ?? chosenKind(fields.get("kind")) ?? (await recognisedKind(visit, deps, columns));
  const identity = [fields.get("page") ?? "", kind, sourceDetails, name, sha256];
  const fileId = v5(JSON.stringify(identity), memberId);
  const earlier = await findKeptFile(organisationId, fileId, deps.pool);
  const importId = earlier?.importId;
  if (importId) return async () => ({ goTo: importPath(importId) });
  const file = { path, name, format, size, sha256 };
  const evidence = { values: [], numbers: [] };
  const newDraft = { fileId, organisationId, kind, sourceDetails, file, columns, evidence, notes, checked };
  return async (say, signal) => {
    await keepFile(deps, newDraft).catch((error: unknown) => {
      throw new TooBusy(notKeptMessage, { cause: error });
    });
    await dropKeptFile(organisationId, fields.get("instead") ?? "", deps);
    const draft = await findKeptFile(organisationId, fileId, deps.pool);
    if (!draft) throw new TooBusy(notKeptMessage); // many newer uploads have already displaced the draft
    const hasMoreSheets = (header.otherSheets?.length ?? 0) > 0;
    const atWork = { visit, deps, draft: { ...draft, kind, checked }, copy: { path, folder }, say, signal };
    return orDraftImport(atWork, () => workOnDraft(atWork, { act, hasMoreSheets }));
  };
}

const notKeptMessage = "The file could not be kept, try again shortly";

function chosenKind(text: string | undefined): ImportKind | undefined {
  const kind = importKinds.find((known) => known === text);
  if (!kind && text !== recogniseOption) throw new Rejection("invalid", "Choose the kind: shipments, activities, or to recognise it");
  return kind;
}

/** Derives the kind from our own headings, from headings of earlier files, or from the fields that the headings resemble. */
async function recognisedKind(visit: SignedInVisit, deps: PortalDeps, columns: readonly string[]): Promise<ImportKind> {
  const { catalogue } = await currentCatalogue(visit, deps);
  const { customFieldKeys, file } = catalogue;
  const exactKind = importKinds.find((kind) => matchImportHeader(columns, { kind, source: "file", customFieldKeys }).ok);
  if (exactKind) return exactKind;
  const key = headingsKey(headingsIn(columns));
  for (const kind of importKinds) if (await rememberedColumns(visit.person.organisationId, { kind, key }, deps.pool)) return kind;
  const likely = likelyKind(headingsIn(columns), file.customFields);
  if (!likely) throw new Rejection("invalid", "The headings do not say what the file has. Choose Shipments or Activities under Kind");
  return likely;
}
