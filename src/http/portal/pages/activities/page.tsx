import type { Child } from "hono/jsx";
import { Rejection } from "../../../../domain/rejection.js";
import { activityChoices } from "../../../../queries/activities/activityCodes.js";
import { pageOfActivities } from "../../../../queries/activities/activityLedger.js";
import { activityTotals } from "../../../../queries/activities/activityTotals.js";
import type { PageOf, PortalDeps, Shown } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { type Asked, activitiesPath, addressOf, askedOf, queryOf } from "./asked.js";
import { Filters } from "./filters.js";
import { type ActivitiesPresent, presentNames } from "./names.js";
import { periodWords } from "./period.js";
import { printedWords } from "./printedWords.js";
import { Rows } from "./rows.js";
import { Totals } from "./totals.js";

const title = "Activities";
const rowsPerPage = 50;

export const activitiesPage: PageOf<SignedInVisit> = {
  path: activitiesPath,
  access: "look",
  show: async (visit, deps) => {
    const present = await presentNames(visit.person.organisationId, deps);
    try {
      return await shown(visit, askedOf(visit, present.now), present, deps);
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== "invalid") throw error;
      return refused(visit, error, present, deps);
    }
  },
};

async function shown(visit: SignedInVisit, asked: Asked, present: ActivitiesPresent, deps: PortalDeps): Promise<Shown> {
  const { organisationId } = visit.person;
  const [choices, content] = await Promise.all([activityChoices(organisationId, deps.pool), contentOf(visit, asked, present, deps)]);
  return {
    title,
    body: (
      <>
        <Filters visit={visit} asked={asked} choices={choices} nameOf={present.nameOf} />
        <section class={asked.perCustomer ? "panel per-customer" : "panel"} aria-labelledby="period">
          <div class="bill-head">
            <h2 id="period">{periodWords(asked.period)}</h2>
            <Views visit={visit} asked={asked} />
          </div>
          <p class="print-only">{printedWords(visit, asked, present.nameOf)}</p>
          {content.body}
          {content.isEmpty ? null : <Downloads visit={visit} asked={asked} />}
        </section>
      </>
    ),
  };
}

interface Content {
  readonly body: Child;
  /** True when there is nothing to download. */
  readonly isEmpty: boolean;
}

async function contentOf(visit: SignedInVisit, asked: Asked, { nameOf }: ActivitiesPresent, deps: PortalDeps): Promise<Content> {
  const { organisationId } = visit.person;
  if (asked.view === "totals") {
    const totals = await activityTotals(organisationId, asked.filter, deps.pool);
    return { body: <Totals visit={visit} asked={asked} totals={totals} nameOf={nameOf} />, isEmpty: totals.length === 0 };
  }
  const request = { limit: rowsPerPage, cursor: visit.query["cursor"] || undefined, secret: deps.signingSecret };
  const page = await pageOfActivities(organisationId, asked.filter, request, deps.pool);
  const isEmpty = page.items.length === 0 && request.cursor === undefined;
  return { body: <Rows visit={visit} asked={asked} page={page} nameOf={nameOf} />, isEmpty };
}

/** The page for a filter that cannot be used: the reason above this month's totals. */
async function refused(
  visit: SignedInVisit,
  { message, details }: Rejection,
  present: ActivitiesPresent,
  deps: PortalDeps,
): Promise<Shown> {
  const plain = { ...visit, query: {} };
  const page = await shown(plain, askedOf(plain, present.now), present, deps);
  return { ...page, status: 400, notice: { kind: "error", lines: details ?? [message] } };
}

function Views({ visit, asked }: { readonly visit: SignedInVisit; readonly asked: Asked }) {
  const views = [
    { label: "By charge code", changes: { view: "", by: "" }, here: asked.view === "totals" && !asked.byWarehouse },
    { label: "By charge code and warehouse", changes: { view: "", by: "warehouse" }, here: asked.view === "totals" && asked.byWarehouse },
    { label: "Rows", changes: { view: "rows", pages: "" }, here: asked.view === "rows" },
  ];
  return (
    <nav class="views" aria-label="Views">
      {views.map(({ label, changes, here }) => (
        <a href={addressOf(visit, asked, changes)} aria-current={here ? "page" : undefined}>
          {label}
        </a>
      ))}
      {asked.view === "totals" ? (
        <a href={addressOf(visit, asked, { pages: asked.perCustomer ? "" : "customer" })}>
          {asked.perCustomer ? "All customers in one table" : "One customer per page"}
        </a>
      ) : null}
    </nav>
  );
}

/** Links to download what the page shows, and its other view: totals, or every row behind them. */
function Downloads({ visit, asked }: { readonly visit: SignedInVisit; readonly asked: Asked }) {
  const address = (file: string) => visit.links.to(`${activitiesPath}/${file}`, queryOf(asked, { view: "", pages: "" }));
  const other = asked.view === "rows" ? "totals" : "rows";
  return (
    <div class="import-actions downloads">
      <a class="button" href={address(`${asked.view}.csv`)} download>
        Download CSV
      </a>
      <a class="button quiet" href={address(`${asked.view}.xlsx`)} download>
        Download XLSX
      </a>
      <a href={address(`${other}.csv`)} download>
        {other === "rows" ? "All rows as CSV" : "Totals as CSV"}
      </a>
      <a href={address(`${other}.xlsx`)} download>
        {other === "rows" ? "All rows as XLSX" : "Totals as XLSX"}
      </a>
    </div>
  );
}
