import type { Pool } from "pg";
import { principalOf } from "../../../../domain/principal.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import { listedImports } from "../../../../queries/imports/importList.js";
import { findImportRow, type ImportStatus, type ImportView } from "../../../../queries/imports/importView.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { groupDigits } from "../../shell/formats.js";
import { Badge, Link, type State, Time, Unbroken, withQuery } from "../../shell/markup.js";
import { type Column, column } from "../../shell/table.js";

export const kindNames: Readonly<Record<ImportKind, string>> = { shipments: "Shipments", activities: "Activities" };

export const statusBadges: Readonly<Record<ImportStatus, State>> = {
  queued: { label: "Waiting", badge: "" },
  processing: { label: "Running", badge: "busy" },
  completed: { label: "Completed", badge: "good" },
  failed: { label: "Failed", badge: "bad" },
  cancelled: { label: "Cancelled", badge: "warn" },
};

export const isUnfinished = ({ status }: Pick<ImportView, "status">): boolean => status === "queued" || status === "processing";

export const statusBadge = ({ status, cancelling }: Pick<ImportView, "status" | "cancelling">): State =>
  cancelling ? { label: "Cancelling", badge: "warn" } : statusBadges[status];

/** The status in words, as pages show it and screen readers say it. */
export const statusInWords = (view: Pick<ImportView, "status" | "cancelling">): string => statusBadge(view).label;

/** Undefined if nothing is reversed. */
const reversedLabel = ({ reversed }: Pick<ImportView, "reversed">): "Reversed" | "Partly reversed" | undefined =>
  reversed === null ? undefined : reversed.all ? "Reversed" : "Partly reversed";

/** The import's status, its warnings, and the progress of a running import. */
export function StateBadges({ view, status = statusBadge(view), labels = [] }: { view: ImportView; status?: State; labels?: string[] }) {
  const warnings = [reversedLabel(view), view.unusual === null ? undefined : "Unusual", ...labels].filter((label) => label !== undefined);
  return (
    <>
      <Badge state={status} />
      {warnings.map((label) => (
        <Badge state={{ label, badge: "warn" }} />
      ))}
      {view.status === "processing" ? (
        <span class="progress">
          <progress max={100} value={view.progress} aria-label={`Progress of ${view.reference}`} />{" "}
          <span class="amount">{view.progress} %</span>
        </span>
      ) : null}
    </>
  );
}

/** While activities are imported, `counts.failed` is not known yet. The rejected rows are then those that were read and not accepted. */
export const rejectedSoFar = ({ kind, status, counts }: Pick<ImportView, "kind" | "status" | "counts">): number =>
  kind === "activities" && status === "processing" ? Math.max(0, counts.received - counts.processed) : counts.failed;

export const importsPath = "/portal/imports";
/** The path of the live events that keep open pages up to date. */
export const livePath = "/portal/live/imports";
export const importPath = (importId: string) => `${importsPath}/${importId}`;
export const reversePath = (importId: string) => `${importPath(importId)}/reverse`;
/** The import's page, scrolled to one of its reversals. */
export const reversalPath = (importId: string, reversalId: string) => `${importPath(importId)}#reversal-${reversalId}`;
/** The path of an import's events, beginning with the event of a row. */
export const historyPath = (importId: string, row: number) => `${importPath(importId)}/history?row=${row}`;

/** A reference may be blank. Earlier releases put the whole id of the corrected import into a correction's name; this shortens the id. */
export const shownReference = ({ reference }: Pick<ImportView, "reference">): string =>
  reference.trim().replace(/^(Correction of import [0-9a-f]{8})-[0-9a-f-]{27}/, "$1") || "Without a reference";

export const importCrumbs = (view: Pick<ImportView, "importId" | "reference">) =>
  [
    ["Imports", importsPath],
    [shownReference(view), importPath(view.importId)],
  ] as const;

/** What a list of imports shows besides the imports themselves. */
export async function listDetails(organisationId: string, views: readonly Pick<ImportView, "importId">[], { pool }: { pool: Pool }) {
  const importIds = views.map(({ importId }) => importId);
  const [nameOf, detailsById] = await Promise.all([principalNames(organisationId, pool), listedImports(organisationId, importIds, pool)]);
  return { nameOf, detailsById };
}

type ListDetails = Awaited<ReturnType<typeof listDetails>>;

const openRowsOf = ({ importId, status }: ImportView, { detailsById }: ListDetails): number =>
  status === "completed" ? (detailsById.get(importId)?.openRows ?? 0) : 0;

export const importColumns = (details: ListDetails): readonly Column<ImportView>[] => [
  column("reference", "Reference", (view: ImportView) => shownReference(view), {
    isRowHeader: true,
    cell: (view) => <Unbroken text={shownReference(view)} />,
    link: ({ importId }) => importPath(importId),
  }),
  column("kind", "Kind", ({ kind }) => kindNames[kind]),
  column("status", "Status", (view: ImportView) => statusInWords(view), {
    cell: (view) => {
      const [openRows, isSameFile] = [openRowsOf(view, details), view.sameFileAs !== null];
      const toCorrect: State = { label: `${statusInWords(view)}, ${groupDigits(openRows)} to correct`, badge: "warn" };
      return (
        <span class="status">
          <StateBadges view={view} status={openRows > 0 ? toCorrect : statusBadge(view)} labels={isSameFile ? ["Same file"] : []} />
        </span>
      );
    },
  }),
  column("rows", "Rows", ({ counts }) => counts.received, { number: true }),
  column("rejected", "Rejected", rejectedSoFar, { number: true }),
  column("toCorrect", "To correct", (view) => openRowsOf(view, details), {
    number: true,
    link: (view) =>
      openRowsOf(view, details) > 0 ? withQuery("/portal/corrections", { import: view.importId, kind: view.kind }) : undefined,
  }),
  column("by", "By", ({ importId }) => {
    const by = details.detailsById.get(importId)?.by;
    return by && details.nameOf(by);
  }),
  column("submitted", "Submitted", ({ submittedAt }) => submittedAt),
  column("ended", "Ended", ({ finishedAt }) => finishedAt, { onlyInFiles: true }),
  column("importId", "Import id", ({ importId }) => importId, { onlyInFiles: true }),
];

/** What a screen reader says when the status changes. */
const statusNews = (view: ImportView): string => `${shownReference(view)}: ${statusInWords(view).toLowerCase()}`;

/** The status, with the outcome of an import that has ended. */
export function fullNews(view: ImportView): string {
  if (isUnfinished(view)) return statusNews(view);
  const reversed = reversedLabel(view);
  const counts = `${statusNews(view)}, ${view.counts.received} rows read, ${view.counts.failed} rejected`;
  return reversed === undefined ? counts : `${counts}, ${reversed.toLowerCase()}`;
}

/** Attributes for the page's script: which import it is, and what to announce when its status changes. */
export const importMarks = (view: ImportView): Readonly<Record<string, string>> => ({
  id: `import-${view.importId}`,
  "data-status": view.status,
  "data-at": view.submittedAt.toISOString(),
  "data-says": statusNews(view),
});

export type EarlierPush = Awaited<ReturnType<typeof earlierPush>>;

/** The import, and who pushed it and when; `push` is undefined if the organisation has no such import. */
export async function earlierPush(organisationId: string, importId: string, { pool }: { readonly pool: Pool }) {
  const pushed = await findImportRow(organisationId, { kind: undefined, importId }, pool);
  const nameOf = await principalNames(organisationId, pool);
  return { importId, push: pushed && { ...pushed, by: nameOf(principalOf(pushed.requestedBy)) } };
}

/** Such as `orders.csv, sent 1 Mar 2026, 10:00 by Ada`. */
export const PushInWords = ({ earlier: { importId, push } }: { earlier: EarlierPush }) => (
  <>
    <Link to={importPath(importId)}>{push ? shownReference({ reference: push.sourceDetails }) : "an earlier import"}</Link>
    {push ? (
      <>
        , sent <Time at={push.submittedAt} /> by {push.by}
      </>
    ) : null}
  </>
);
