// Forms for files that change the catalogue.
import { readFile, rm } from "node:fs/promises";
import { parseOrganisationFile } from "../../../../domain/catalogue/organisationFile.js";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { Upload } from "../../../server/receiveUpload.js";
import { defineForm, definePage, type PortalDeps, type SignedInVisit, type Subject } from "../../pageDefinition.js";
import { Field, Form } from "../../shell/form.js";
import { countInWords } from "../../shell/formats.js";
import { Panel } from "../../shell/markup.js";
import { receiveFormFile } from "../../visits.js";
import { currentCatalogue } from "../customers.js";
import { cataloguePath, catalogueUploadPath } from "./cataloguePaths.js";
import { type Edit, keepChange } from "./waitingChange.js";

/** Checking a larger file would delay other people's pages. */
export const maxFileBytes = 2 * 1024 * 1024;

interface FileForm {
  readonly path: string;
  readonly title: string;
  readonly accept: string;
  /** The command for larger files. */
  readonly command: "org apply" | "org lanes import";
  /** `hint` says what the file must contain and what it changes. `back` is the page to go to if the form is cancelled. */
  readonly subjectIn: (visit: SignedInVisit, current: OrganisationFile) => { readonly hint: string; readonly back: string };
  readonly edit: (upload: Upload, current: OrganisationFile, visit: SignedInVisit, deps: PortalDeps) => Promise<Edit>;
}

/** The page with a file field, and its form, which keeps the file's edit as a waiting change. */
export function fileForm({ path, title, accept, command, subjectIn, edit }: FileForm): Required<Pick<Subject, "pages" | "forms">> {
  const page = definePage(path, "catalogue", async (visit, deps) => {
    const { hint, back } = subjectIn(visit, (await currentCatalogue(visit, deps)).catalogue.file);
    const body = (
      <Panel id="choose" title="Choose a file">
        <Form to={visit.path} enctype="multipart/form-data" submit="Show changes" cancel={back}>
          <Field label="File" name="file" type="file" accept={accept} hint={hint} />
        </Form>
      </Panel>
    );
    return { title, body };
  });
  const form = defineForm(page, { subPath: "", body: "upload" }, async (visit, _, deps) => {
    const upload = await receiveFormFile(visit, deps);
    try {
      if (upload.size > maxFileBytes)
        throw new Rejection(
          "tooLarge",
          `The file has ${upload.size} bytes; here it may have ${maxFileBytes}. Apply a larger one with ${command}`,
        );
      const { file: current, catalogueVersion } = await currentCatalogue(visit, deps);
      return await keepChange(visit, deps, catalogueVersion, current, await edit(upload, current, visit, deps));
    } finally {
      await rm(upload.folder, { recursive: true, force: true });
    }
  });
  return { pages: [page], forms: [form] };
}

/** Takes an organisation file in the format of `org apply`. */
export const organisationUpload = fileForm({
  path: catalogueUploadPath,
  title: "Upload organisation file",
  accept: ".json,application/json",
  command: "org apply",
  subjectIn: () => ({
    hint: "Your organisation file, as JSON. You see its changes before you apply them. Anything that is not in the file is removed.",
    back: cataloguePath,
  }),
  edit: async ({ path, name }, _, visit) => ({
    file: organisationFileIn(visit, name, await readFile(path, "utf8")),
    goTo: cataloguePath,
    about: `by ${name}`,
  }),
});

const maxFaults = 200;

/** Refuses a file of another organisation, because applying it here would record the other organisation's id. */
function organisationFileIn({ person: { organisationId } }: SignedInVisit, name: string, text: string): OrganisationFile {
  const refuse = (faults: readonly string[]): never => {
    const shownFaults = faults.length > maxFaults ? [...faults.slice(0, maxFaults), `and ${faults.length - maxFaults} more`] : faults;
    const line = `${name} has ${countInWords(faults.length, "fault", "faults")}. Nothing has changed.`;
    throw new Rejection("invalid", line, [line, ...shownFaults]);
  };
  let input: unknown;
  try {
    input = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return refuse([`The file is not JSON: ${(error as Error).message}`]);
  }
  const parsed = parseOrganisationFile(input);
  if (!parsed.ok) return refuse(parsed.faults);
  const { id } = parsed.file.organisation;
  return id === organisationId ? parsed.file : refuse([`organisation.id must be ${organisationId}: this file is for ${id}`]);
}
