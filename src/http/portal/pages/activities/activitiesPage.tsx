import type { Child } from "hono/jsx";
import { Rejection } from "../../../../domain/rejection.js";
import { activityChoices } from "../../../../queries/activities/activityCodes.js";
import { activityTotals, type TotalsFilter } from "../../../../queries/activities/activityTotals.js";
import { totalChanges } from "../../../../queries/activities/totalChanges.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { waitUntilTablesKnow } from "../../../../queries/knownAt.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import type { MenuItem, PageContent, PageDefinition, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { Button } from "../../shell/form.js";
import { Time } from "../../shell/values.js";
import { type OrganisationNow, presentCatalogue } from "../customers.js";
import { importPath, importsPath, shownReference } from "../imports/importStatus.js";
import { Filters } from "./activityFilters.js";
import { RowTable, rowsOfImport, rowsThatCount } from "./activityRows.js";
import { type BillSum, billSum } from "./billLines.js";
import {
  type ActivitiesView,
  activitiesAddress,
  activitiesPath,
  daysInWords,
  onlyImport,
  printedWords,
  queryOf,
  selectionOf,
} from "./selection.js";
import { ChangesTable } from "./totalChanges.js";
import { Totals } from "./totals.js";

export const activitiesPage: PageDefinition<SignedInVisit> = {
  path: activitiesPath,
  access: "look",
  show: async (visit, deps) => {
    const present = await presentCatalogue(visit, deps);
    try {
      return await pageContent(visit, present, deps);
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== "invalid") throw error;
      // A filter that cannot be used: the reason stands above this month's totals.
      const page = await pageContent({ ...visit, query: {} }, present, deps);
      return { ...page, status: 400, notice: { kind: "error", lines: error.details ?? [error.message] } };
    }
  },
};

async function pageContent(visit: SignedInVisit, { now, nameOf }: OrganisationNow, deps: PortalDeps): Promise<PageContent> {
  const of = { visit, selection: selectionOf(visit, now), nameOf };
  const { selection } = of;
  const only = await onlyImport(visit, selection, deps);
  const [choices, content] = await Promise.all([activityChoices(visit.person.organisationId, deps.pool), contentOf(of, only, deps)]);
  return {
    title: "Activities",
    ...(only
      ? { crumbs: [["Imports", importsPath] as const, [shownReference(only), importPath(only.importId)] as const] }
      : { views: viewsOf(of) }),
    action: content.isEmpty ? null : <Button type="button" data-print hidden label="Print" class="quiet" />,
    menu: [...(content.isEmpty ? [] : downloadsOf(of)), ...layoutsOf(of)],
    body: (
      <>
        <Filters of={of} choices={choices} />
        <section class={selection.perCustomer ? "panel per-customer" : "panel"} aria-labelledby="period">
          <div class="print-only printed">
            {printedWords(of).map((line) => (
              <p>{line}</p>
            ))}
          </div>
          <div class="bill-head">
            <h2 id="period">{daysInWords(selection)}</h2>
            {only ? <a href={activitiesAddress(of, { import: "" })}>Show all imports</a> : null}
          </div>
          <AsOfNote of={of} />
          {only ? <p class="hint">Activities that are not billed are not in the downloads.</p> : null}
          {content.body}
        </section>
      </>
    ),
  };
}

/** Says so where the figures are not those of now. */
function AsOfNote({ of: { visit, selection } }: { of: ActivitiesView }) {
  const { asOf, since } = selection;
  const zone = `(${visit.person.timezone})`;
  if (asOf)
    return (
      <p class="notice warn">
        <strong>
          As known on <Time visit={visit} at={asOf} exact /> {zone}.
        </strong>{" "}
        Later imports and reversals are not included.
      </p>
    );
  if (since)
    return (
      <p class="notice warn">
        <strong>
          Changes since <Time visit={visit} at={since} exact /> {zone}.
        </strong>{" "}
        Together they are the difference between the totals then and now.
      </p>
    );
  return null;
}

/** `isEmpty`: there is nothing to download. */
async function contentOf(of: ActivitiesView, only: ImportView | undefined, deps: PortalDeps): Promise<{ body: Child; isEmpty: boolean }> {
  const { visit, selection } = of;
  const { pool } = deps;
  const { organisationId } = visit.person;
  const { filter, asOf, since } = selection;
  const time = asOf ?? since;
  if (time) await waitUntilTablesKnow(time, deps);
  if (since) {
    const [changes, actorOf] = await Promise.all([totalChanges(organisationId, filter, since, pool), principalNames(organisationId, pool)]);
    return { body: <ChangesTable of={of} changes={changes} actorOf={actorOf} />, isEmpty: changes.length === 0 };
  }
  if (selection.view === "totals") {
    const totals = await activityTotals(organisationId, { ...filter, asOf }, pool);
    return { body: <Totals of={of} totals={totals} />, isEmpty: totals.length === 0 };
  }
  const [page, sum] = await Promise.all([
    only ? rowsOfImport(of, only, deps) : rowsThatCount(of, deps),
    only ? undefined : sumOfRows(organisationId, { ...filter, asOf }, pool),
  ]);
  return { body: <RowTable of={of} page={page} sum={sum} />, isEmpty: page.items.length === 0 && !visit.query["cursor"] };
}

/** The total that led here; undefined where there are too many to add up. */
const sumOfRows = (organisationId: string, filter: TotalsFilter, pool: PortalDeps["pool"]): Promise<BillSum | undefined> =>
  activityTotals(organisationId, filter, pool).then(billSum, (error: unknown) => {
    if (error instanceof Rejection) return undefined;
    throw error;
  });

function viewsOf(of: ActivitiesView) {
  const { selection } = of;
  const { view, byWarehouse, since } = selection;
  const totals = view === "totals";
  const views = [
    { label: "By charge code", changes: { view: "", by: "", since: "" }, current: totals && !byWarehouse },
    { label: "By warehouse", changes: { view: "", by: "warehouse", since: "" }, current: totals && byWarehouse },
    { label: "Rows", changes: { since: "", view: "rows", pages: "" }, current: view === "rows" },
    ...(since ? [{ label: "Changes", changes: {}, current: true }] : []),
  ];
  return views.map(({ label, changes, current }) => ({ label, current, to: activitiesAddress(of, changes) }));
}

const layoutsOf = (of: ActivitiesView): MenuItem[] =>
  of.selection.view !== "totals"
    ? []
    : [
        {
          label: of.selection.perCustomer ? "All customers in one table" : "One customer per page",
          to: activitiesAddress(of, { pages: of.selection.perCustomer ? "" : "customer" }),
        },
      ];

/** What the page shows, and its other view: totals, or every row behind them. The rows of an earlier time are on the page only. */
function downloadsOf({ visit, selection }: ActivitiesView): MenuItem[] {
  const { view, asOf, importId } = selection;
  const address = (file: string) => visit.links.to(`${activitiesPath}/${file}`, queryOf(selection, { view: "", pages: "" }));
  const link = (label: string, file: string): MenuItem => ({ label, to: address(file), download: "" });
  const shown = asOf ? "totals" : view;
  const other = shown === "rows" ? "totals" : "rows";
  const hasOther = shown !== "changes" && !asOf && importId === "";
  return [
    link("Download CSV", `${shown}.csv`),
    link("Download XLSX", `${shown}.xlsx`),
    ...(hasOther
      ? (["csv", "xlsx"] as const).map((format) =>
          link(`${other === "rows" ? "All rows" : "Totals"} as ${format.toUpperCase()}`, `${other}.${format}`),
        )
      : []),
  ];
}
