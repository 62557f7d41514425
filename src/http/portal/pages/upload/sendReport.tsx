// A corrected error report becomes one correction of its import, or several.
import { createHash } from "node:crypto";
import type { Child } from "hono/jsx";
import { type CompletedImport, expectWholeShipments } from "../../../../commands/corrections/correctableRows.js";
import { expectOpen } from "../../../../commands/corrections/openRows.js";
import { correctionName } from "../../../../commands/corrections/requestCorrection.js";
import { freePlaces } from "../../../../commands/imports/queue/places.js";
import { requestImport } from "../../../../commands/imports/requestImport.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import { decimalOf, type ImportColumns } from "../../../../events/importEvents.js";
import type { CorrectionPart } from "../../../../judging/fileChecks.js";
import type { FileHeader } from "../../../../ports/spreadsheets.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import type { Line } from "../../lines.js";
import type { PortalDeps, SignedInVisit } from "../../page.js";
import { importPath } from "../imports/status.js";
import { prepareToJudge } from "./judgeUpload.js";
import { ReportSent } from "./outcomes.js";
import type { ReceivedForm } from "./receiveForm.js";

/** As for the API's pushes: all store calls together. */
const withinMs = 4_200;

/** Leads to the import if the whole report was sent as one; otherwise says what was sent and what was not. */
type SendReport = (say: (line: Line) => void, signal: AbortSignal) => Promise<{ readonly goTo: string } | { readonly outcome: Child }>;

interface Report {
  readonly form: ReceivedForm;
  readonly header: FileHeader;
  readonly found: CompletedImport;
  /** What the columns of its import were taken for, where their headings are not ours. */
  readonly columns?: ImportColumns | undefined;
}

/** The most imports that one upload becomes, however many places are free in the queue. */
const mostParts = 20;

/** Sends the rows that are open and that today's rules accept. The other rows stay open, so that the same report can be corrected and sent again. */
export async function prepareToSendReport(visit: SignedInVisit, deps: PortalDeps, report: Report): Promise<SendReport> {
  const { form, header, found, columns } = report;
  const { organisationId } = visit.person;
  const free = await freePlaces(organisationId, deps.limits.maxQueuedImports, deps.pool);
  const judge = await prepareToJudge(visit, deps, {
    form,
    header,
    columns,
    corrects: { found, mostParts: Math.max(1, Math.min(free, mostParts)) },
  });
  return async (say, signal) => {
    const { checked } = await judge(say, signal);
    const parts = checked.report?.parts ?? [];
    const sent: string[] = [];
    for (const [index, part] of parts.entries()) {
      signal.throwIfAborted();
      await visit.stillAllowed(); // judging the report may have taken minutes
      say({ share: index / parts.length, text: `Sending part ${index + 1} of ${parts.length}` });
      try {
        sent.push(await sendPart(visit, deps, report, { part, index, count: parts.length }));
      } catch (error) {
        // The parts that were sent stay sent. The other rows stay open, and the page says so.
        if (!(error instanceof Rejection) || sent.length === 0) throw error;
        return { outcome: <ReportSent visit={visit} found={found} checked={checked} sent={sent} refused={error.message} /> };
      }
    }
    const [only] = sent;
    const isWhole = checked.rejected === 0 && checked.report?.closed.length === 0;
    if (only !== undefined && sent.length === 1 && isWhole) return { goTo: importPath(only) };
    return { outcome: <ReportSent visit={visit} found={found} checked={checked} sent={sent} /> };
  };
}

interface Part {
  readonly part: CorrectionPart;
  readonly index: number;
  readonly count: number;
}

async function sendPart(visit: SignedInVisit, deps: PortalDeps, { form, found }: Report, { part, index, count }: Part): Promise<string> {
  const { organisationId, by } = visit.person;
  const { kind, upload, idempotencyKey } = form;
  const { path, size, sha256, rows, elements } = part;
  const { importId: corrected } = found.request;
  const decimal = decimalOf(found.request);
  const { now } = await presentOf(organisationId, deps.pool);
  const given = upload.sourceDetails === upload.name ? correctionName(found.request.sourceDetails) : upload.sourceDetails;
  const numbered = count === 1 ? "" : ` (${index + 1} of ${count})`;
  const push = await expectWholeShipments(deps.pool, found, rows);
  const { importId } = await requestImport(
    { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
    {
      organisationId,
      kind,
      by,
      now,
      withinMs,
      elements,
      check: () => expectOpen(deps, found, rows),
      source: "data",
      sourceDetails: `${[...given].slice(0, limits.sourceDetailsLength - numbered.length).join("")}${numbered}`,
      file: { path, name: `${kind}.csv`, format: "csv", size, sha256 },
      corrects: { importId: corrected, rows: [...rows], ...(decimal && { decimal }), ...(push && { push }) },
      sent: { sha256: upload.sha256, sourceDetails: upload.sourceDetails },
      requestId: visit.requestId,
      // The rows are part of the key: a second attempt, when some rows are sent already, is another correction.
      idempotencyKey: `${idempotencyKey}-${createHash("sha256").update(rows.join()).digest("hex")}`,
    },
  );
  return importId;
}
