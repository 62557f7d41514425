// The last step of an upload: the file becomes an import, unless it was sent before and the person has to be asked.
import type { Child } from "hono/jsx";
import { type Deadline, deadlineIn } from "../../../../commands/deadline.js";
import { acceptFile } from "../../../../commands/imports/acceptFile.js";
import { dropChecked } from "../../../../commands/imports/keptFiles.js";
import type { ImportColumns } from "../../../../events/importEvents.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import type { PortalDeps, SignedInVisit } from "../../page.js";
import type { ReceivedForm } from "./receiveForm.js";
import { type Question, toAskAbout } from "./sameUpload.js";

/** As for the API's pushes: all store calls together. */
export const withinMs = 4_200;

/** What came of an upload. Nothing is recorded by a question, an outcome that asks, or the page on which its columns are chosen. */
export type EndedUpload =
  | { readonly importId: string }
  | { readonly question: Question }
  | { readonly goTo: string }
  | { readonly outcome: Child };
interface FileToAccept extends Omit<Accepted, "deadline"> {
  readonly fileId: string | undefined;
}

export async function askOrAccept(visit: SignedInVisit, deps: PortalDeps, { fileId, ...file }: FileToAccept): Promise<EndedUpload> {
  const { form } = file;
  const deadline = deadlineIn(withinMs);
  const earlier = await toAskAbout(visit, deps, form, deadline);
  if (earlier) return { question: { visit, form, earlier, fileId } };
  const importId = await acceptForm(visit, deps, { ...file, deadline });
  if (form.checked !== "") await dropChecked(visit.person.organisationId, form.checked, deps);
  return { importId };
}

interface Accepted {
  readonly form: ReceivedForm;
  readonly header: FileHeader;
  readonly columns: ImportColumns | undefined;
  readonly deadline: Deadline;
}

async function acceptForm(visit: SignedInVisit, deps: PortalDeps, { form, header, columns, deadline }: Accepted): Promise<string> {
  const { organisationId, by } = visit.person;
  const { kind, upload, idempotencyKey } = form;
  const { catalogueVersion, now } = await presentOf(organisationId, deps.pool);
  const { path, name, size, sha256, sourceDetails } = upload;
  const { importId } = await acceptFile(
    { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
    {
      organisationId,
      kind,
      by,
      sourceDetails,
      idempotencyKey,
      now,
      catalogueVersion,
      withinMs: deadline.leftMs(),
      header,
      columns,
      requestId: visit.requestId,
      file: { path, name, size, sha256 },
    },
  );
  return importId;
}
