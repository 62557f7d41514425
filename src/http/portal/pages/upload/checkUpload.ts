import { checkColumns } from "../../../../commands/imports/acceptFile.js";
import { readUploadHeader } from "../../../../commands/imports/uploadHeader.js";
import { existingShipments } from "../../../../queries/existingShipments.js";
import { presentOf } from "../../../../queries/present.js";
import { answerInLines, type Line } from "../../lines.js";
import type { AnswerOf, PortalDeps } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { checkOutcome } from "./checkOutcome.js";
import { type ReceivedForm, receiveForm, removeForm } from "./receiveForm.js";
import { uploadPath } from "./uploadPage.js";

/** Judges the whole file as its import would, and records nothing. */
export const checkAnswer: AnswerOf<SignedInVisit> = {
  method: "POST",
  path: `${uploadPath}/check`,
  access: "operate",
  body: "upload",
  answer: async (visit, deps) => {
    const leave = deps.fileChecks.enter(visit.person.memberId);
    let form: ReceivedForm | undefined;
    const end = async () => {
      leave();
      if (form) await removeForm(form);
    };
    try {
      form = await receiveForm(visit, deps);
      const check = await prepare(visit, deps, form);
      return answerInLines(visit, deps, async (send, signal) => {
        try {
          return await check(send, signal);
        } finally {
          await end();
        }
      });
    } catch (error) {
      await end();
      throw error;
    }
  },
};

/** A file whose header row is wrong is refused at once. */
async function prepare({ person: { organisationId } }: SignedInVisit, deps: PortalDeps, { kind, upload }: ReceivedForm) {
  const { format, columns } = await readUploadHeader(deps, organisationId, upload);
  const { catalogueVersion } = await presentOf(deps.pool, organisationId);
  await checkColumns(deps, { organisationId, kind }, catalogueVersion, columns);
  const { file: catalogue } = await deps.catalogues(organisationId, catalogueVersion);
  const { path, name, folder } = upload;
  return async (send: (line: Line) => void, signal: AbortSignal): Promise<Line> => {
    let replaced = 0;
    send({ share: 0, said: "Waiting to check" });
    const checked = await deps.fileChecks.run(
      { organisationId, kind, file: { path, name, format }, folder, catalogue },
      {
        signal,
        progress: (share) => send({ share, said: `Checking: ${Math.floor(share * 100)} %` }),
        shipments: async (ids) => {
          replaced += await existingShipments(deps.pool, organisationId, ids);
        },
      },
    );
    return { html: checkOutcome({ name, kind, checked, replaced }) };
  };
}
