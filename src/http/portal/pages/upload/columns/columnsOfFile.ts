// What the columns of an uploaded file are taken for, and the file itself while somebody chooses that.
import { type ColumnsTaken, columnsTaken, expectChoosable } from "../../../../../commands/imports/chosenColumns.js";
import { keepFile } from "../../../../../commands/imports/keptFiles.js";
import { matchImportHeader } from "../../../../../domain/files/header.js";
import type { ColumnChoice } from "../../../../../domain/imports/columns/choice.js";
import { datesAgainst, type Evidence, headingsOfFile, numbersAgainst } from "../../../../../domain/imports/columns/evidence.js";
import { fileHeadings, headingsIn, headingsKey } from "../../../../../domain/imports/columns/headings.js";
import { likelyKind } from "../../../../../domain/imports/columns/suggest.js";
import { type ImportColumns, type ImportKind, type ImportRequested, importKinds } from "../../../../../events/importEvents.js";
import type { FileHeader } from "../../../../../ports/spreadsheets.js";
import { rememberedColumns } from "../../../../../queries/organisations/columnChoices.js";
import type { Line } from "../../../lines.js";
import type { PortalDeps, SignedInVisit } from "../../../page.js";
import { presentCatalogue } from "../../customers.js";
import { uploadPath } from "../paths.js";
import type { ReceivedForm } from "../receiveForm.js";

export const columnsPath = `${uploadPath}/columns`;

interface UploadedFile {
  readonly form: ReceivedForm;
  readonly header: FileHeader;
  /** The import whose error report the file is, where it is one. */
  readonly reported?: ImportRequested | undefined;
}

export async function columnsOfFile(
  visit: SignedInVisit,
  deps: PortalDeps,
  { form, header, reported }: UploadedFile,
): Promise<ColumnsTaken> {
  const { kind } = form;
  const { columns } = header;
  const { catalogue } = await presentCatalogue(visit, deps);
  const sought = { kind, key: headingsKey(headingsIn(columns)) };
  const remembered = reported ? undefined : await rememberedColumns(visit.person.organisationId, sought, deps.pool);
  const taken = columnsTaken(catalogue, deps.geography, { kind, columns, reported, remembered });
  if (taken.toChoose) expectChoosable(columns);
  return taken;
}

/** By our own headings, by those of earlier files, or by what they resemble. Undefined where they say nothing. */
export async function recognisedKind(visit: SignedInVisit, deps: PortalDeps, columns: readonly string[]): Promise<ImportKind | undefined> {
  const { catalogue } = await presentCatalogue(visit, deps);
  const { customFieldKeys, file } = catalogue;
  const own = importKinds.find((kind) => matchImportHeader(columns, { kind, source: "file", customFieldKeys }).ok);
  if (own) return own;
  const key = headingsKey(headingsIn(columns));
  for (const kind of importKinds) if (await rememberedColumns(visit.person.organisationId, { kind, key }, deps.pool)) return kind;
  return likelyKind(headingsIn(columns), file.customFields);
}

/** Reads every row in a process of its own. */
export function readFileEvidence(
  { person: { organisationId } }: SignedInVisit,
  deps: PortalDeps,
  { form, header }: UploadedFile,
  send: (line: Line) => void,
  signal: AbortSignal,
): Promise<Evidence> {
  const { path, name } = form.upload;
  const progress = (share: number) => {
    if (share < 1) send({ share, text: `Reading: ${Math.floor(share * 100)} %` });
  };
  return deps.fileChecks.read({ organisationId, file: { path, name, format: header.format } }, { signal, progress });
}

/** Whether the file's own dates and numbers speak against how they would be read: by what is remembered for it, or by its own headings. */
export async function isContradicted(
  visit: SignedInVisit,
  deps: PortalDeps,
  { form, header }: UploadedFile,
  { columns, evidence }: { readonly columns: ImportColumns | undefined; readonly evidence: Evidence },
): Promise<boolean> {
  const { kind } = form;
  const headings = headingsOfFile(header.columns, evidence);
  if (columns) return (datesAgainst(columns, kind, headings) ?? numbersAgainst(columns, kind, headings)) !== undefined;
  const { catalogue } = await presentCatalogue(visit, deps);
  return numbersAgainst(ownChoice(header.columns, kind, catalogue.customFieldKeys), kind, headings) !== undefined;
}

/** What our own headings say that the columns are. */
function ownChoice(columns: readonly string[], kind: ImportKind, customFieldKeys: ReadonlySet<string>): ColumnChoice {
  const match = matchImportHeader(columns, { kind, source: "file", customFieldKeys });
  const fields = match.ok ? match.fields : [];
  return {
    headings: Object.fromEntries(
      fileHeadings(columns).flatMap((heading, index) => (heading === undefined ? [] : [[heading, fields[index] ?? null]])),
    ),
  };
}

/** Keeps the file; returns the page on which its columns are chosen. */
export async function keepToChoose(
  visit: SignedInVisit,
  deps: PortalDeps,
  { form, header }: UploadedFile,
  { values, numbers }: Evidence,
): Promise<string> {
  const { columns, format, notes } = header;
  expectChoosable(columns);
  const { organisationId } = visit.person;
  const { kind, upload } = form;
  const { path, name, size, sha256, sourceDetails } = upload;
  // Without the first values the page is still of use.
  const first = await deps.headerRows.values(organisationId, { path, name }).catch((error: unknown) => {
    deps.logger.info({ err: error, requestId: visit.requestId }, "the first values of an upload could not be read");
    return [];
  });
  const shown = columns.map((_, index) => [...new Set([...(first[index] ?? []), ...(values[index] ?? [])])]);
  const file = { path, name, format, size, sha256 };
  const evidence = { values: shown, numbers };
  const fileId = await keepFile(deps, { organisationId, kind, sourceDetails, file, columns, evidence, notes });
  return columnsOfKept(fileId);
}

export const columnsOfKept = (fileId: string): string => `${uploadPath}/${fileId}/columns`;
