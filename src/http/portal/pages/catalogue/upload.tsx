import { randomUUID } from "node:crypto";
import { findCatalogueUpload, forgetCatalogueUpload, keepCatalogueUpload } from "../../../../commands/organisations/catalogueUploads.js";
import { applyOrganisation } from "../../../../commands/organisations/organisation.js";
import { catalogueDifferences } from "../../../../domain/catalogue/diff.js";
import { parseOrganisationFile } from "../../../../domain/catalogue/organisationFile.js";
import { organisationFile } from "../../../../domain/catalogue/schema.js";
import { Rejection } from "../../../../domain/rejection.js";
import { answerTable } from "../../../server/problem.js";
import { done, type FormOf, originOf, type PageOf, type PortalDeps, type Shown, type SignedInVisit } from "../../page.js";
import { Button, ButtonLink, Form, HiddenFields } from "../../shell/form.js";
import { counted } from "../../shell/formats.js";
import { Panel } from "../../shell/panel.js";
import { presentCatalogue } from "../customers.js";
import { changedMeanwhile, versionOf } from "./applyChange.js";
import { changesInWords, Differences } from "./changes.js";
import { cataloguePath, partOf, uploadPath } from "./parts.js";
import { type OrganisationText, receiveOrganisationFile } from "./receiveFile.js";

const title = "Upload organisation file";
const ownerOf = ({ person: { organisationId, memberId } }: SignedInVisit) => ({ organisationId, memberId });

/** Takes an organisation file; with `upload` in its address it shows what that file changes, before it is applied. */
export const uploadPage: PageOf<SignedInVisit> = {
  path: uploadPath,
  access: "catalogue",
  show: async (visit, deps) => {
    const uploadId = visit.query["upload"] || visit.submitted.get("upload");
    return uploadId ? preview(visit, deps, uploadId) : { title, body: <Choose visit={visit} /> };
  },
};

const Choose = ({ visit, faults }: { visit: SignedInVisit; faults?: readonly string[] }) => (
  <>
    {faults ? (
      <Panel id="faults" title="Faults">
        <ul class="plain-list faults">
          {faults.map((fault) => (
            <li>{fault}</li>
          ))}
        </ul>
      </Panel>
    ) : null}
    <Panel id="choose" title="Choose a file">
      <form method="post" action={visit.links.to(uploadPath)} enctype="multipart/form-data" class="stacked">
        <input type="hidden" name="token" value={visit.formToken} />
        <div class="field">
          <label for="field-file">File</label>
          <input id="field-file" type="file" name="file" accept=".json,application/json" required aria-describedby="field-file-hint" />
          <p class="hint" id="field-file-hint">
            Your organisation file, as JSON. You see its changes before you apply them. Anything that is not in the file is removed.
          </p>
        </div>
        <div class="button-row">
          <Button label="Show changes" />
          <ButtonLink to={visit.links.to(cataloguePath)} label="Cancel" quiet />
        </div>
      </form>
    </Panel>
  </>
);

export const uploadForm: FormOf<SignedInVisit> = {
  path: uploadPath,
  access: "catalogue",
  page: uploadPage,
  body: "upload",
  submit: async (visit, _, deps) => {
    const received = await receiveOrganisationFile(visit, deps);
    const checked = checkFile(visit, received);
    if ("faults" in checked) {
      const line = `${received.name} has ${counted(checked.faults.length, "fault", "faults")}. Nothing has changed.`;
      return {
        title,
        status: answerTable.invalid.status,
        notice: { kind: "error", lines: [line] },
        body: <Choose visit={visit} faults={checked.faults} />,
      };
    }
    const uploadId = randomUUID();
    await keepCatalogueUpload(deps.pool, ownerOf(visit), { uploadId, fileName: received.name, file: checked.file });
    return { goTo: `${uploadPath}?upload=${uploadId}` };
  },
};

const mostFaults = 200;

/** A file for another organisation is a fault like any other: applied here it would be recorded under that name. */
function checkFile({ person: { organisationId } }: SignedInVisit, { text }: OrganisationText) {
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    return { faults: [`The file is not JSON: ${(error as Error).message}`] };
  }
  const parsed = parseOrganisationFile(input);
  if (!parsed.ok) {
    const more = parsed.faults.length - mostFaults;
    return { faults: more > 0 ? [...parsed.faults.slice(0, mostFaults), `and ${more} more`] : parsed.faults };
  }
  const { id } = parsed.file.organisation;
  return id === organisationId ? { file: parsed.file } : { faults: [`organisation.id must be ${organisationId}: this file is for ${id}`] };
}

/** The upload is looked up by its owner, so that nobody else's is found. */
async function requireUpload(visit: SignedInVisit, { pool }: PortalDeps, uploadId: string) {
  const found = await findCatalogueUpload(pool, ownerOf(visit), uploadId);
  if (!found)
    throw new Rejection(
      "notFound",
      "This file is no longer available: it was applied, replaced, or uploaded more than an hour ago. Upload it again",
    );
  return { ...found, file: organisationFile.parse(found.file) };
}

async function preview(visit: SignedInVisit, deps: PortalDeps, uploadId: string): Promise<Shown> {
  const { fileName, file } = await requireUpload(visit, deps, uploadId);
  const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
  const all = catalogueDifferences(catalogue.file, file);
  const removed = all.filter(({ kind }) => kind === "removed").length;
  const { rows, pager } = partOf(visit, all, "changes", (from) => `${uploadPath}?upload=${uploadId}${from ? `&from=${from}` : ""}`);
  return {
    title,
    body: (
      <Panel id="changes" title={`What ${fileName} changes`}>
        <p>
          Compared with version {catalogueVersion}: {changesInWords(all)}. Nothing has been applied yet.
        </p>
        {removed > 0 ? <p class="notice warn">{counted(removed, "entry is", "entries are")} not in the file and will be removed.</p> : null}
        <Form visit={visit} to={`${uploadPath}/apply`} class="button-row apply">
          <HiddenFields values={{ upload: uploadId, version: String(catalogueVersion) }} />
          {all.length === 0 ? null : <Button label="Apply" />}
          <ButtonLink to={visit.links.to(uploadPath)} label="Choose another file" quiet />
        </Form>
        <Differences visit={visit} differences={rows} present={catalogue.file} />
        {pager}
      </Panel>
    ),
  };
}

export const applyForm: FormOf<SignedInVisit> = {
  path: `${uploadPath}/apply`,
  access: "catalogue",
  page: uploadPage,
  submit: async (visit, fields, deps) => {
    const uploadId = fields.get("upload");
    const { file } = await requireUpload(visit, deps, uploadId);
    const madeFrom = versionOf(fields);
    try {
      const { version, changes } = await applyOrganisation(deps.organisations, file, originOf(visit), { madeFrom });
      await forgetCatalogueUpload(deps.pool, ownerOf(visit), uploadId);
      return done(cataloguePath, changes.length === 0 ? "Nothing has changed." : `Version ${version} applied.`);
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== "conflict") throw error;
      const notice = await changedMeanwhile(visit, deps, madeFrom, "Below is what your file changes now.");
      return { ...(await preview(visit, deps, uploadId)), notice, status: answerTable.conflict.status };
    }
  },
};
