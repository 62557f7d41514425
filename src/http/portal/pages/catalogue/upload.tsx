import { readFile } from "node:fs/promises";
import { parseOrganisationFile } from "../../../../domain/catalogue/organisationFile.js";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { FormOf, PageOf, SignedInVisit } from "../../page.js";
import { counted } from "../../shell/formats.js";
import { presentCatalogue } from "../customers.js";
import { cataloguePath, uploadPath } from "./addresses.js";
import { draftOf } from "./draft.js";
import { ChooseFile, withUpload } from "./uploadForm.js";

/** Takes an organisation file, as `org apply` does. */
export const uploadPage: PageOf<SignedInVisit> = {
  path: uploadPath,
  access: "catalogue",
  show: async (visit) => ({
    title: "Upload organisation file",
    body: (
      <ChooseFile visit={visit} to={uploadPath} back={cataloguePath} accept=".json,application/json">
        Your organisation file, as JSON. You see its changes before you apply them. Anything that is not in the file is removed.
      </ChooseFile>
    ),
  }),
};

export const uploadForm: FormOf<SignedInVisit> = {
  path: uploadPath,
  access: "catalogue",
  page: uploadPage,
  body: "upload",
  submit: (visit, _, deps) =>
    withUpload(visit, deps, async ({ path, name }) => {
      const file = organisationFileIn(visit, name, await readFile(path, "utf8"));
      const { catalogue, catalogueVersion } = await presentCatalogue(visit, deps);
      return draftOf(visit, deps, catalogueVersion, catalogue.file, { file, goTo: cataloguePath, about: `by ${name}` });
    }),
};

const mostFaults = 200;

/** A file for another organisation is a fault like any other: applied here it would be recorded under that name. */
function organisationFileIn({ person: { organisationId } }: SignedInVisit, name: string, text: string): OrganisationFile {
  const refuse = (faults: readonly string[]): never => {
    const shown = faults.length > mostFaults ? [...faults.slice(0, mostFaults), `and ${faults.length - mostFaults} more`] : faults;
    const line = `${name} has ${counted(faults.length, "fault", "faults")}. Nothing has changed.`;
    throw new Rejection("invalid", line, [line, ...shown]);
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
