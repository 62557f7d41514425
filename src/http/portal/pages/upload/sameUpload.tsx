// A file that was sent before: which import has it, and the question whether to upload it again.
import { type Deadline, deadlineIn } from "../../../../commands/deadline.js";
import { importOfKey } from "../../../../commands/imports/importStream.js";
import { importWithSameFile } from "../../../../commands/imports/sameFile.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import type { PortalDeps, SignedInVisit } from "../../page.js";
import { Button, ButtonLink } from "../../shell/form.js";
import { type EarlierPush, earlierPush, PushInWords } from "../imports/sameFile.js";
import { importPath } from "../imports/status.js";
import { KeptForm } from "./keptForm.js";
import type { ReceivedForm } from "./receiveForm.js";

interface FileOfForm extends Pick<ReceivedForm, "kind"> {
  readonly upload: Pick<ReceivedForm["upload"], "sha256">;
}

/** The last import that has this file. */
export async function sentBefore(
  { person: { organisationId } }: SignedInVisit,
  deps: PortalDeps,
  { kind, upload }: FileOfForm,
  deadline: Deadline = deadlineIn(lookUpMs),
): Promise<EarlierPush | undefined> {
  const { now } = await deadline.within("database", presentOf(organisationId, deps.pool));
  const importId = await importWithSameFile(deps, { organisationId, kind, sha256: upload.sha256, now }, deadline);
  return importId === undefined ? undefined : earlierPush(organisationId, importId, deps);
}

const lookUpMs = 4_200;

/** The import of which the person has to be told before the file is uploaded. Undefined for a form that is sent twice: it leads to its import. */
export async function toAskAbout(
  visit: SignedInVisit,
  deps: PortalDeps,
  form: FileOfForm & Pick<ReceivedForm, "idempotencyKey" | "again">,
  deadline: Deadline,
): Promise<EarlierPush | undefined> {
  const { organisationId } = visit.person;
  const { now } = await deadline.within("database", presentOf(organisationId, deps.pool));
  const use = { organisationId, idempotencyKey: form.idempotencyKey, now };
  const own = await deadline.within("event store", importOfKey(deps.eventStore, use));
  if (own.earlier) return undefined;
  const earlier = await sentBefore(visit, deps, form, deadline);
  // The import of this form is found where the same form arrives twice at once.
  return earlier && [own.importId, form.again].includes(earlier.importId) ? undefined : earlier;
}

export interface Question {
  readonly visit: SignedInVisit;
  readonly form: ReceivedForm;
  readonly earlier: EarlierPush;
  /** Set where the file is kept: it goes in again without being chosen once more. */
  readonly fileId?: string | undefined;
}

const whatFollows: Readonly<Record<ImportKind, string>> = {
  activities: "If you upload it again, its activities count twice in the totals to bill.",
  shipments: "If you upload it again, its shipments replace any later versions.",
};

interface QuestionProps extends Omit<Question, "form"> {
  readonly form: Pick<ReceivedForm, "kind"> & { readonly upload: Pick<ReceivedForm["upload"], "name"> };
  /** Where the form itself is sent again: with the file chosen once more, or as it is. */
  readonly withoutScripts?: "choose" | "press";
}

const howToSend = {
  choose: "To upload it anyway, choose the file again and press Upload again.",
  press: "To upload it anyway, press Upload again.",
};

export const UploadQuestion = ({ visit, form, earlier, withoutScripts, fileId }: QuestionProps) => (
  <section class="panel" aria-labelledby="sent-before">
    <h2 id="sent-before">This file was sent before</h2>
    <p class="notice warn" role="status">
      {form.upload.name} is the same file as <PushInWords visit={visit} earlier={earlier} />. Nothing has been recorded yet.
    </p>
    <p>
      {whatFollows[form.kind]} {withoutScripts && fileId === undefined ? howToSend[withoutScripts] : null}
    </p>
    <div class="button-row">
      {fileId ? (
        <KeptForm visit={visit} fileId={fileId} again={earlier.importId} label="Upload again" />
      ) : withoutScripts ? null : (
        <Button type="button" data-again={earlier.importId} label="Upload again" />
      )}
      <ButtonLink to={visit.links.to(importPath(earlier.importId))} label="Open the earlier import" quiet />
    </div>
  </section>
);
