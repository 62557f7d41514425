import { acceptFile } from "../../../../commands/imports/acceptFile.js";
import { rejectWhenFull } from "../../../../commands/imports/queueRoom.js";
import { presentOf } from "../../../../queries/present.js";
import { send } from "../../../server/answer.js";
import type { AnswerOf, FormOf, PortalDeps } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { type ReceivedForm, withUpload } from "./receiveForm.js";
import { uploadPage, uploadPath } from "./uploadPage.js";

/** As for the API's pushes: all store calls together. */
const withinMs = 4_200;

/** The plain form, for a browser without scripts: it uploads, and leads to the import. */
export const uploadForm: FormOf<SignedInVisit> = {
  path: uploadPath,
  access: "operate",
  page: uploadPage,
  body: "upload",
  submit: async (visit, _, deps) => {
    const importId = await takeUpload(visit, deps);
    return { goTo: `/portal/imports/${importId}` };
  },
};

/** The same for the page's script, which shows how far the file is and goes to the import itself. */
export const uploadAnswer: AnswerOf<SignedInVisit> = {
  method: "POST",
  path: `${uploadPath}/send`,
  access: "operate",
  body: "upload",
  answer: async (visit, deps) => {
    const importId = await takeUpload(visit, deps);
    return send(visit.context, { status: 202, body: { importId, goTo: visit.links.to(`/portal/imports/${importId}`) } });
  },
};

async function takeUpload(visit: SignedInVisit, deps: PortalDeps): Promise<string> {
  const { organisationId } = visit.person;
  const { now } = await presentOf(deps.pool, organisationId);
  const { maxQueuedImports } = deps.limits;
  await rejectWhenFull({ ...deps, maxQueuedImports }, { organisationId, now, idempotencyKey: undefined, withinMs });
  return withUpload(visit, deps, (form) => acceptForm(visit, deps, form));
}

async function acceptForm(visit: SignedInVisit, deps: PortalDeps, { kind, upload, idempotencyKey }: ReceivedForm): Promise<string> {
  const { organisationId, by } = visit.person;
  const { catalogueVersion, now } = await presentOf(deps.pool, organisationId);
  const { path, name, size, sha256, sourceDetails } = upload;
  const { importId } = await acceptFile(
    { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
    {
      ...{ organisationId, kind, by, sourceDetails, idempotencyKey, now, catalogueVersion, withinMs },
      requestId: visit.requestId,
      file: { path, name, size, sha256 },
    },
  );
  return importId;
}
