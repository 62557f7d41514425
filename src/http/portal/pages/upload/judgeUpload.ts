import type { CompletedImport } from "../../../../commands/corrections/expectOpen.js";
import { checkColumns } from "../../../../commands/imports/acceptFile.js";
import type { CheckedFile } from "../../../../commands/imports/judging/fileChecks.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import { existingShipments } from "../../../../queries/shipments/shipmentLedger.js";
import type { Line } from "../../lines.js";
import type { PortalDeps } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import type { ReceivedForm } from "./receiveForm.js";
import { reportToJudge } from "./reportedImport.js";

export interface Judged {
  readonly checked: CheckedFile;
  /** How many of its shipments the ledger has already. */
  readonly replaced: number;
}

export type JudgeUpload = (send: (line: Line) => void, signal: AbortSignal) => Promise<Judged>;

interface File {
  readonly form: ReceivedForm;
  readonly header: FileHeader;
  /** Where the file is an error report: the import whose rows it corrects, and how many imports it may become. */
  readonly corrects?: { readonly found: CompletedImport; readonly mostParts: number } | undefined;
}

/** Refuses a wrong header row at once; what it returns judges every row in a process of its own. */
export async function prepareToJudge({ person }: SignedInVisit, deps: PortalDeps, { form, header, corrects }: File): Promise<JudgeUpload> {
  const { organisationId } = person;
  const { kind, upload } = form;
  const { catalogueVersion } = await presentOf(deps.pool, organisationId);
  const fields = await checkColumns(deps, { organisationId, kind }, catalogueVersion, header.columns);
  const { file: catalogue } = await deps.catalogues(organisationId, catalogueVersion);
  const { path, name, folder } = upload;
  return async (send, signal) => {
    let replaced = 0;
    send({ share: 0, said: "Waiting to check" });
    const report = corrects && (await reportToJudge(deps, corrects.found, { folder, fields, mostParts: corrects.mostParts }));
    const checked = await deps.fileChecks.run(
      { organisationId, kind, file: { path, name, format: header.format }, folder, catalogue, ...(report ? { report } : {}) },
      {
        signal,
        progress: (share) => send({ share, said: `Checking: ${Math.floor(share * 100)} %` }),
        shipments: async (ids) => {
          replaced += await existingShipments(deps.pool, organisationId, ids);
        },
      },
    );
    return { checked, replaced };
  };
}
