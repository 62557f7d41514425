import type { Child } from "hono/jsx";
import { Rejection } from "../../../../domain/rejection.js";
import { activityChoices } from "../../../../queries/activities/activityCodes.js";
import { activityTotals } from "../../../../queries/activities/activityTotals.js";
import { totalChanges } from "../../../../queries/activities/totalChanges.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { tablesKnow } from "../../../../queries/knownAt.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import type { PageOf, PortalDeps, Shown, SignedInVisit } from "../../page.js";
import { Button, ButtonLink } from "../../shell/form.js";
import { Time } from "../../shell/values.js";
import { type Present, presentCatalogue } from "../customers.js";
import { importPath, shownReference } from "../imports/status.js";
import { Changes } from "./changes.js";
import { Filters } from "./filters.js";
import { Rows, rowsOfImport, rowsThatCount } from "./rows.js";
import {
  activitiesPath,
  addressOf,
  daysInWords,
  type OfActivities,
  ofNow,
  onlyImport,
  printedWords,
  queryOf,
  selectionOf,
} from "./selection.js";
import { Totals } from "./totals.js";

export const activitiesPage: PageOf<SignedInVisit> = {
  path: activitiesPath,
  access: "look",
  show: async (visit, deps) => {
    const present = await presentCatalogue(visit, deps);
    try {
      return await shown(visit, present, deps);
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== "invalid") throw error;
      // A filter that cannot be used: the reason stands above this month's totals.
      const page = await shown({ ...visit, query: {} }, present, deps);
      return { ...page, status: 400, notice: { kind: "error", lines: error.details ?? [error.message] } };
    }
  },
};

async function shown(visit: SignedInVisit, { now, nameOf }: Present, deps: PortalDeps): Promise<Shown> {
  const of = { visit, selection: selectionOf(visit, now), nameOf };
  const { selection } = of;
  const only = await onlyImport(visit, selection, deps);
  const [choices, content] = await Promise.all([activityChoices(visit.person.organisationId, deps.pool), contentOf(of, only, deps)]);
  return {
    title: "Activities",
    scripts: ["downloads.js"],
    body: (
      <>
        {only ? <OnlyOf of={of} view={only} /> : null}
        <Filters of={of} choices={choices} />
        <section class={selection.perCustomer ? "panel per-customer" : "panel"} aria-labelledby="period">
          <div class="bill-head">
            <h2 id="period">{daysInWords(selection)}</h2>
            {only ? null : <Views of={of} />}
          </div>
          <p class="print-only">{printedWords(of)}</p>
          <Known of={of} />
          {content.isEmpty ? null : <Downloads of={of} />}
          {content.body}
        </section>
      </>
    ),
  };
}

const OnlyOf = ({ of, view }: { of: OfActivities; view: ImportView }) => (
  <p class="under-heading">
    <span>
      Only those of <a href={of.visit.links.to(importPath(view.importId))}>{shownReference(view)}</a>
    </span>
    <a href={addressOf(of, { import: "" })}>Show all imports</a>
  </p>
);

/** Says so where the figures are not those of now. */
function Known({ of: { visit, selection } }: { of: OfActivities }) {
  const { asOf, since } = selection;
  const zone = `(${visit.person.timezone})`;
  if (asOf)
    return (
      <p class="known">
        <strong>
          As known on <Time visit={visit} at={asOf} exact /> {zone}.
        </strong>{" "}
        Later imports and reversals are not included.
      </p>
    );
  if (since)
    return (
      <p class="known">
        <strong>
          Changes since <Time visit={visit} at={since} exact /> {zone}.
        </strong>{" "}
        Together they are the difference between the totals then and now.
      </p>
    );
  return null;
}

/** `isEmpty`: there is nothing to download. */
async function contentOf(of: OfActivities, only: ImportView | undefined, deps: PortalDeps): Promise<{ body: Child; isEmpty: boolean }> {
  const { visit, selection } = of;
  const { pool } = deps;
  const { organisationId } = visit.person;
  const { filter, asOf, since } = selection;
  const time = asOf ?? since;
  if (time) await tablesKnow(time, deps);
  if (since) {
    const [changes, actorOf] = await Promise.all([totalChanges(organisationId, filter, since, pool), principalNames(pool, organisationId)]);
    return { body: <Changes of={of} changes={changes} actorOf={actorOf} />, isEmpty: changes.length === 0 };
  }
  if (selection.view === "totals") {
    const totals = await activityTotals(organisationId, { ...filter, asOf }, pool);
    return { body: <Totals of={of} totals={totals} />, isEmpty: totals.length === 0 };
  }
  const page = await (only ? rowsOfImport(of, only, deps) : rowsThatCount(of, deps));
  return { body: <Rows of={of} page={page} />, isEmpty: page.items.length === 0 && !visit.query["cursor"] };
}

function Views({ of }: { of: OfActivities }) {
  const { selection } = of;
  const views = [
    { label: "By charge code", changes: { view: "", by: "", since: "" }, here: selection.view === "totals" && !selection.byWarehouse },
    {
      label: "By charge code and warehouse",
      changes: { view: "", by: "warehouse", since: "" },
      here: selection.view === "totals" && selection.byWarehouse,
    },
    { label: "Rows", changes: { ...ofNow, view: "rows", pages: "" }, here: selection.view === "rows" },
  ];
  return (
    <nav class="views" aria-label="Views">
      {views.map(({ label, changes, here }) => (
        <a href={addressOf(of, changes)} aria-current={here ? "page" : undefined}>
          {label}
        </a>
      ))}
      {selection.view === "totals" ? (
        <a href={addressOf(of, { pages: selection.perCustomer ? "" : "customer" })}>
          {selection.perCustomer ? "All customers in one table" : "One customer per page"}
        </a>
      ) : null}
    </nav>
  );
}

/** Links to download what the page shows, and its other view: totals, or every row behind them. */
function Downloads({ of: { visit, selection } }: { of: OfActivities }) {
  const { view, asOf, importId } = selection;
  const address = (file: string) => visit.links.to(`${activitiesPath}/${file}`, queryOf(selection, { view: "", pages: "" }));
  const other = view === "rows" ? "totals" : "rows";
  const hasOther = view !== "changes" && !asOf && importId === "";
  return (
    <>
      <div class="button-row downloads">
        <ButtonLink to={address(`${view}.csv`)} download data-followed label="Download CSV" />
        <ButtonLink to={address(`${view}.xlsx`)} download data-followed label="Download XLSX" quiet />
        {hasOther
          ? (["csv", "xlsx"] as const).map((format) => (
              <a href={address(`${other}.${format}`)} download data-followed>
                {other === "rows" ? "All rows" : "Totals"} as {format.toUpperCase()}
              </a>
            ))
          : null}
      </div>
      <div class="download-progress" hidden data-download-progress>
        <progress aria-label="Progress of the download" />
        <span role="status" data-download-text />
        <Button type="button" class="quiet" data-download-cancel label="Cancel" />
      </div>
      {importId === "" ? null : <p class="hint">Activities that do not count are not in the downloads.</p>}
    </>
  );
}
