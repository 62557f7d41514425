import { type ReversalOutcome, type ReversalRequest, reverseRows } from "../../../../commands/reversals/reverseRows.js";
import { limits } from "../../../../domain/imports/limits.js";
import { parseNumbers } from "../../../../domain/ranges.js";
import { Rejection } from "../../../../domain/rejection.js";
import { importAmounts } from "../../../../queries/activities/importAmounts.js";
import { requireImport } from "../../../../queries/imports/importStatus.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { answerTable } from "../../../server/problem.js";
import { reasonIn } from "../../fields.js";
import type { FormDefinition, PageDefinition, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { mostLines } from "../activities/bills.js";
import { presentCatalogue } from "../customers.js";
import { importOf } from "./importPage.js";
import { importCrumbs, importPath, importsPath, shownReference } from "./importStatus.js";
import { consequences, OtherChoice, ReversalPreview, unitsOf } from "./reversePreview.js";

/** What would be reversed, and what follows from it, before anything is done. Some rows or a shipment are chosen by the address. */
export const reversePage: PageDefinition<SignedInVisit> = {
  path: `${importsPath}/{importId}/reverse`,
  access: "operate",
  show: async (visit, deps) => {
    const { view } = await importOf(visit, deps);
    const crumbs = importCrumbs(view);
    const title = visit.query["rows"] ? "Reverse rows" : visit.query["shipment"] ? "Reverse shipment" : "Reverse import";
    try {
      return { title, crumbs, body: await preview(visit, view, deps) };
    } catch (error) {
      if (!(error instanceof Rejection) || error.code === "notFound") throw error;
      const { status } = answerTable[error.code];
      return {
        title,
        crumbs,
        status,
        notice: { kind: "error", lines: [error.message] },
        body: view.status === "completed" ? <OtherChoice visit={visit} view={view} /> : null,
      };
    }
  },
};

async function preview(visit: SignedInVisit, view: ImportView, deps: PortalDeps) {
  const { organisationId } = visit.person;
  const request = await requestOf(visit, view, deps);
  const outcome = await reverseRows(deps, { ...request, preview: true, reason: "", includeCorrections: false });
  const rows = "rows" in request.what ? request.what.rows : undefined;
  const [amounts, corrections, { nameOf }] = await Promise.all([
    view.kind === "activities"
      ? importAmounts(organisationId, { importId: view.importId, rows, most: mostLines + 1 }, deps.pool)
      : undefined,
    correctionsOf(organisationId, outcome, deps),
    presentCatalogue(visit, deps),
  ]);
  return <ReversalPreview visit={visit} view={view} outcome={outcome} amounts={amounts} corrections={corrections} nameOf={nameOf} />;
}

const mostNamed = 20;

/** The first of the imports that corrected these rows, by their references. */
async function correctionsOf(organisationId: string, { corrections }: ReversalOutcome, deps: PortalDeps) {
  const found = corrections.slice(0, mostNamed).map(async ({ importId, rows }) => {
    const { view } = await requireImport(organisationId, { kind: undefined, importId }, deps);
    return { importId, rows: rows.length, reference: shownReference(view) };
  });
  return Promise.all(found);
}

export const reverseForm: FormDefinition<SignedInVisit> = {
  path: reversePage.path,
  access: "operate",
  page: reversePage,
  faults: { reason: /reason/ },
  submit: async (visit, fields, deps) => {
    const { view } = await importOf(visit, deps);
    const request = await requestOf(visit, view, deps);
    const [reason, includeCorrections] = [reasonIn(fields), fields.get("corrections") === "reverse"];
    const outcome = await reverseRows(deps, { ...request, preview: false, reason, includeCorrections });
    deps.live.imports.nudge();
    const corrections = includeCorrections ? await correctionsOf(visit.person.organisationId, outcome, deps) : [];
    const lines = outcomeInWords(view, outcome, corrections);
    return { goTo: importPath(view.importId), notice: { kind: "done", lines } };
  },
};

type ReversalChoice = Omit<ReversalRequest, "preview" | "reason" | "includeCorrections">;

async function requestOf(visit: SignedInVisit, { importId, kind }: ImportView, deps: PortalDeps): Promise<ReversalChoice> {
  const { organisationId, by } = visit.person;
  const { rows, shipment } = visit.query;
  const what = rows
    ? { rows: parseNumbers(rows, limits.rowsPerReversal) }
    : shipment
      ? { shipmentIds: [shipment] }
      : ({ all: true } as const);
  return { organisationId, importId, kind, what, by, requestId: visit.requestId, now: deps.organisations.now };
}

function outcomeInWords(
  view: ImportView,
  outcome: ReversalOutcome,
  corrections: readonly { readonly reference: string; readonly rows: number }[],
): string[] {
  const { reversalId, reversed } = outcome;
  const more = outcome.corrections.length - corrections.length;
  const named = [...corrections.map(({ reference, rows }) => `${reference} (${rows})`), ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const name = shownReference(view);
  const [first = "", ...rest] = [
    ...(reversed > 0 ? [`${unitsOf(view, reversed)} of ${name} ${reversed === 1 ? "is" : "are"} reversed.`] : []),
    ...(corrections.length > 0 ? [`Corrections of ${name} are reversed${reversed > 0 ? " as well" : ""}: ${named}.`] : []),
    ...(reversed === 0 && reversalId !== null ? [`${name} is reversed.`] : []),
  ];
  if (first === "") return [`Nothing left to reverse: what you chose of ${name} is already reversed.`];
  return [first, ...rest, ...consequences(view, outcome)];
}
