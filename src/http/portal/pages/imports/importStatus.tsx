import type { Pool } from "pg";
import { principalOf } from "../../../../domain/principal.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import { listedImports } from "../../../../queries/imports/importList.js";
import { findImportRow, type ImportStatus, type ImportView } from "../../../../queries/imports/importView.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { groupDigits } from "../../shell/formats.js";
import { Badge, Link, type State, Time, Unbroken, withQuery } from "../../shell/parts.js";
import { type Column, column } from "../../shell/table.js";

export const kindNames: Readonly<Record<ImportKind, string>> = { shipments: "Shipments", activities: "Activities" };

export const statuses: Readonly<Record<ImportStatus, State>> = {
  queued: { label: "Waiting", badge: "" },
  processing: { label: "Running", badge: "busy" },
  completed: { label: "Completed", badge: "good" },
  failed: { label: "Failed", badge: "bad" },
  cancelled: { label: "Cancelled", badge: "warn" },
};

export const isUnfinished = ({ status }: Pick<ImportView, "status">): boolean => status === "queued" || status === "processing";

export const statusBadge = ({ status, cancelling }: Pick<ImportView, "status" | "cancelling">): State =>
  cancelling ? { label: "Cancelling", badge: "warn" } : statuses[status];

/** The status in words, as pages show it and screen readers say it. */
export const statusOf = (view: Pick<ImportView, "status" | "cancelling">): string => statusBadge(view).label;

/** Undefined where nothing was taken back. */
const reversedOf = ({ reversed }: Pick<ImportView, "reversed">): "Reversed" | "Partly reversed" | undefined =>
  reversed === null ? undefined : reversed.all ? "Reversed" : "Partly reversed";

/** How it stands: its status first, and how far it is. */
export function States({ view, status = statusBadge(view), more = [] }: { view: ImportView; status?: State; more?: readonly string[] }) {
  const warnings = [reversedOf(view), view.unusual === null ? undefined : "Unusual", ...more].filter((label) => label !== undefined);
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

/** Of a running activities import the contract shows no rejected rows; here they are what was read and not accepted. */
export const rejectedSoFar = ({ kind, status, counts }: Pick<ImportView, "kind" | "status" | "counts">): number =>
  kind === "activities" && status === "processing" ? Math.max(0, counts.received - counts.processed) : counts.failed;

export const importsPath = "/portal/imports";
/** The events for open pages. */
export const livePath = "/portal/live/imports";
export const importPath = (importId: string) => `${importsPath}/${importId}`;
export const reversePath = (importId: string) => `${importPath(importId)}/reverse`;
/** A reversal in the list on its import's page. */
export const reversalPath = (importId: string, reversalId: string) => `${importPath(importId)}#reversal-${reversalId}`;
/** The events of an import, from the one of this row on. */
export const historyPath = (importId: string, row: number) => `${importPath(importId)}/history?row=${row}`;

/** A reference may be nothing but spaces. An older version named a correction by the whole id of the corrected import; its beginning is shown. */
export const shownReference = ({ reference }: Pick<ImportView, "reference">): string =>
  reference.trim().replace(/^(Correction of import [0-9a-f]{8})-[0-9a-f-]{27}/, "$1") || "Without a reference";

/** The way to a page about an import. */
export const importCrumbs = (view: Pick<ImportView, "importId" | "reference">) =>
  [
    ["Imports", importsPath],
    [shownReference(view), importPath(view.importId)],
  ] as const;

/** What a row shows besides the import itself. */
export async function importNotes(organisationId: string, views: readonly Pick<ImportView, "importId">[], { pool }: { pool: Pool }) {
  const importIds = views.map(({ importId }) => importId);
  const [nameOf, listed] = await Promise.all([principalNames(organisationId, pool), listedImports(organisationId, importIds, pool)]);
  return { nameOf, listed };
}

type ImportNotes = Awaited<ReturnType<typeof importNotes>>;

const openRowsOf = ({ importId, status }: ImportView, { listed }: ImportNotes): number =>
  status === "completed" ? (listed.get(importId)?.openRows ?? 0) : 0;

export const importColumns = (notes: ImportNotes): readonly Column<ImportView>[] => [
  column("reference", "Reference", (view: ImportView) => shownReference(view), {
    names: true,
    cell: (view) => <Unbroken text={shownReference(view)} />,
    link: ({ importId }) => importPath(importId),
  }),
  column("kind", "Kind", ({ kind }) => kindNames[kind]),
  column("status", "Status", (view: ImportView) => statusOf(view), {
    cell: (view) => {
      const [openRows, isSameFile] = [openRowsOf(view, notes), view.sameFileAs !== null];
      const toCorrect: State = { label: `${statusOf(view)}, ${groupDigits(openRows)} to correct`, badge: "warn" };
      return (
        <span class="status">
          <States view={view} status={openRows > 0 ? toCorrect : statusBadge(view)} more={isSameFile ? ["Same file"] : []} />
        </span>
      );
    },
  }),
  column("rows", "Rows", ({ counts }) => counts.received, { number: true }),
  column("rejected", "Rejected", rejectedSoFar, { number: true }),
  column("toCorrect", "To correct", (view) => openRowsOf(view, notes), {
    number: true,
    link: (view) =>
      openRowsOf(view, notes) > 0 ? withQuery("/portal/corrections", { import: view.importId, kind: view.kind }) : undefined,
  }),
  column("by", "By", ({ importId }) => {
    const by = notes.listed.get(importId)?.by;
    return by && notes.nameOf(by);
  }),
  column("submitted", "Submitted", ({ submittedAt }) => submittedAt),
  column("ended", "Ended", ({ finishedAt }) => finishedAt, { onlyInFiles: true }),
  column("importId", "Import id", ({ importId }) => importId, { onlyInFiles: true }),
];

/** What a screen reader says of the status. */
const sayStatus = (view: ImportView): string => `${shownReference(view)}: ${statusOf(view).toLowerCase()}`;

/** The same, and what came of an import that has ended. */
export function sayOutcome(view: ImportView): string {
  if (isUnfinished(view)) return sayStatus(view);
  const reversed = reversedOf(view);
  const counts = `${sayStatus(view)}, ${view.counts.received} rows read, ${view.counts.failed} rejected`;
  return reversed === undefined ? counts : `${counts}, ${reversed.toLowerCase()}`;
}

/** What the page's script reads: which import it is, and what to say when its status changes. */
export const importMarks = (view: ImportView): Readonly<Record<string, string>> => ({
  id: `import-${view.importId}`,
  "data-status": view.status,
  "data-at": view.submittedAt.toISOString(),
  "data-says": sayStatus(view),
});

export type EarlierPush = Awaited<ReturnType<typeof earlierPush>>;

/** Who pushed it and when, for an import of the same organisation. */
export async function earlierPush(organisationId: string, importId: string, { pool }: { readonly pool: Pool }) {
  const pushed = await findImportRow(organisationId, { kind: undefined, importId }, pool);
  const nameOf = await principalNames(organisationId, pool);
  return { importId, pushed: pushed && { ...pushed, by: nameOf(principalOf(pushed.requestedBy)) } };
}

/** Such as `orders.csv, sent 1 Mar 2026, 10:00 by Ada`. */
export const PushInWords = ({ earlier: { importId, pushed } }: { earlier: EarlierPush }) => (
  <>
    <Link to={importPath(importId)}>{pushed ? shownReference({ reference: pushed.sourceDetails }) : "an earlier import"}</Link>
    {pushed ? (
      <>
        , sent <Time at={pushed.submittedAt} /> by {pushed.by}
      </>
    ) : null}
  </>
);
