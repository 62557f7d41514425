// The forms of the page Columns: for the file of a draft, which goes on with what was chosen, and for a choice without a file.
import { expectValidChoice } from "../../../../../commands/imports/chosenColumns.js";
import { rememberColumns } from "../../../../../commands/organisations/rememberColumns.js";
import { type ColumnChoice, isSameChoice, plainChoice } from "../../../../../domain/imports/columns/choice.js";
import { numbersFault } from "../../../../../domain/imports/columns/evidence.js";
import { Rejection } from "../../../../../domain/rejection.js";
import type { ImportColumns } from "../../../../../events/importEvents.js";
import { presentCatalogueOf } from "../../../../../queries/organisations/organisations.js";
import { type Fields, maxFormBytes } from "../../../fields.js";
import {
  type FormDefinition,
  originOf,
  type PageDefinition,
  type PortalDeps,
  type SignedInVisit,
  withNotice,
} from "../../../pageDefinition.js";
import { presentCatalogue } from "../../customers.js";
import { importPath } from "../../imports/importStatus.js";
import { uploadPath } from "../paths.js";
import { draftWork } from "../workOnDraft.js";
import { columnsPage, draftColumnsPage } from "./columnsPage.js";
import { type ColumnsSource, columnsSource } from "./columnsSource.js";
import { readChoice } from "./readChoice.js";

/** The form of a file with the most columns, for an organisation with the most custom fields and the longest labels. */
const mostBytes = 8 * maxFormBytes;

const formOf = (page: PageDefinition<SignedInVisit>): FormDefinition<SignedInVisit> => ({
  path: page.path,
  access: "operate",
  page,
  mostBytes,
  submit: async (visit, fields, deps) => {
    const source = await columnsSource(visit, deps, fields.get);
    const { draft, kind } = source;
    if (draft?.importId) return { goTo: importPath(draft.importId) };
    const choice = await validChoice(visit, deps, source, fields);
    if (draft) {
      const columns = await columnsOf(visit, deps, source, choice);
      const checked = { take: draft.checked?.take ?? "", report: draft.checked?.report, columns };
      return draftWork(visit, deps, { draft: { ...draft, checked }, act: fields.get("do") === "check" ? "check" : "upload" });
    }
    await rememberColumns(deps.organisations, { organisationId: visit.person.organisationId, kind, choice }, originOf(visit));
    return withNotice(uploadPath, "Columns saved. They apply to the next file with these headings.");
  },
});

export const columnsForms = [formOf(columnsPage), formOf(draftColumnsPage)];

async function validChoice(visit: SignedInVisit, deps: PortalDeps, source: ColumnsSource, fields: Fields): Promise<ColumnChoice> {
  const { catalogue } = await presentCatalogue(visit, deps);
  const choice = readChoice(fields, source, { kind: source.kind, customFields: catalogue.file.customFields });
  expectValidChoice(choice, source.kind, catalogue, deps.geography);
  const unread = choice.decimal === undefined ? numbersFault(choice, source.kind, source.headings) : undefined;
  if (unread !== undefined) throw new Rejection("invalid", `${unread} Choose how under Numbers`);
  return choice;
}

/** The choice as the import records it, with the headings in the file's order. Keeps the earlier author if the choice did not change. */
async function columnsOf(
  { person: { organisationId, by } }: SignedInVisit,
  deps: PortalDeps,
  { remembered }: ColumnsSource,
  choice: ColumnChoice,
): Promise<ImportColumns> {
  const { now } = await presentCatalogueOf(organisationId, deps.pool);
  const chosen = remembered && isSameChoice(remembered, choice) ? remembered : { by, at: now.toISOString() };
  return { ...plainChoice(choice), by: chosen.by, at: chosen.at };
}
