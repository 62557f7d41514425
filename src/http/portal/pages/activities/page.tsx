import type { Child } from "hono/jsx";
import { instantOf } from "../../../../domain/imports/timestamp.js";
import { Rejection } from "../../../../domain/rejection.js";
import { activityChoices } from "../../../../queries/activities/activityCodes.js";
import { pageOfActivities } from "../../../../queries/activities/activityLedger.js";
import type { FoundActivity } from "../../../../queries/activities/activityRows.js";
import { activityTotals } from "../../../../queries/activities/activityTotals.js";
import type { Page } from "../../../../queries/page.js";
import type { PageOf, PortalDeps, Shown, SignedInVisit } from "../../page.js";
import { ButtonLink } from "../../shell/form.js";
import { type Column, EmptyState, Pager, Table } from "../../shell/panel.js";
import { Quantity, Time } from "../../shell/values.js";
import { Customer, type NameOfCustomer, type Present, presentCatalogue } from "../customers.js";
import { periodWords } from "../days.js";
import { historyPath, importPath } from "../imports/status.js";
import { Filters } from "./filters.js";
import { activitiesPath, addressOf, type OfActivities, printedWords, queryOf, selectionOf } from "./selection.js";
import { Totals } from "./totals.js";

const rowsPerPage = 50;

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
  const [choices, content] = await Promise.all([activityChoices(visit.person.organisationId, deps.pool), contentOf(of, deps)]);
  return {
    title: "Activities",
    body: (
      <>
        <Filters of={of} choices={choices} />
        <section class={selection.perCustomer ? "panel per-customer" : "panel"} aria-labelledby="period">
          <div class="bill-head">
            <h2 id="period">{periodWords(selection.period)}</h2>
            <Views of={of} />
          </div>
          <p class="print-only">{printedWords(of)}</p>
          {content.body}
          {content.isEmpty ? null : <Downloads of={of} />}
        </section>
      </>
    ),
  };
}

/** `isEmpty`: there is nothing to download. */
async function contentOf(of: OfActivities, { pool, signingSecret }: PortalDeps): Promise<{ body: Child; isEmpty: boolean }> {
  const { visit, selection } = of;
  const { organisationId } = visit.person;
  if (selection.view === "totals") {
    const totals = await activityTotals(organisationId, selection.filter, pool);
    return { body: <Totals of={of} totals={totals} />, isEmpty: totals.length === 0 };
  }
  const request = { limit: rowsPerPage, cursor: visit.query["cursor"] || undefined, secret: signingSecret };
  const page = await pageOfActivities(organisationId, selection.filter, request, pool);
  return { body: <Rows of={of} page={page} />, isEmpty: page.items.length === 0 && request.cursor === undefined };
}

function Views({ of }: { of: OfActivities }) {
  const { selection } = of;
  const views = [
    { label: "By charge code", changes: { view: "", by: "" }, here: selection.view === "totals" && !selection.byWarehouse },
    {
      label: "By charge code and warehouse",
      changes: { view: "", by: "warehouse" },
      here: selection.view === "totals" && selection.byWarehouse,
    },
    { label: "Rows", changes: { view: "rows", pages: "" }, here: selection.view === "rows" },
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
  const address = (file: string) => visit.links.to(`${activitiesPath}/${file}`, queryOf(selection, { view: "", pages: "" }));
  const other = selection.view === "rows" ? "totals" : "rows";
  return (
    <div class="button-row downloads">
      <ButtonLink to={address(`${selection.view}.csv`)} download label="Download CSV" />
      <ButtonLink to={address(`${selection.view}.xlsx`)} download label="Download XLSX" quiet />
      <a href={address(`${other}.csv`)} download>
        {other === "rows" ? "All rows as CSV" : "Totals as CSV"}
      </a>
      <a href={address(`${other}.xlsx`)} download>
        {other === "rows" ? "All rows as XLSX" : "Totals as XLSX"}
      </a>
    </div>
  );
}

function Rows({ of, page: { items, nextCursor } }: { of: OfActivities; page: Page<FoundActivity> }) {
  const { visit, selection, nameOf } = of;
  if (items.length === 0)
    return (
      <EmptyState title={`No activities in ${periodWords(selection.period)}`}>Look at another month, or leave out a filter.</EmptyState>
    );
  return (
    <>
      <Table caption="Activities by customer, warehouse, charge code and time" columns={columns(visit, nameOf)} rows={items} />
      <Pager
        of="activities"
        cursor={visit.query["cursor"] || undefined}
        nextCursor={nextCursor}
        address={(cursor) => addressOf(of, { cursor })}
      />
    </>
  );
}

const text = (value: unknown) => (value === null || value === undefined ? "" : String(value));

const columns = (visit: SignedInVisit, nameOf: NameOfCustomer): readonly Column<FoundActivity>[] => [
  { heading: "Time", names: true, cell: ({ values }) => <Time visit={visit} at={timeOf(values)} /> },
  { heading: "Customer", cell: ({ customerId }) => <Customer customerId={customerId} nameOf={nameOf} /> },
  { heading: "Warehouse", cell: ({ values }) => text(values["warehouseCode"]) },
  { heading: "Charge code", cell: ({ values }) => text(values["chargeCode"]) },
  { heading: "Quantity", number: true, cell: ({ values }) => <Quantity text={text(values["quantity"])} /> },
  { heading: "Reference", cell: ({ values }) => <Reference text={text(values["reference"])} /> },
  { heading: "Status", cell: ({ values }) => text(values["status"]) },
  {
    heading: "Import",
    cell: ({ importId, sourceDetails, row }) => (
      <span class="source">
        <a href={visit.links.to(importPath(importId))}>{sourceDetails.trim() || "Without a reference"}</a>{" "}
        <a class="row-history" href={visit.links.to(historyPath(importId, row))}>
          row {row}
          <span class="unseen">, its history</span>
        </a>
      </span>
    ),
  },
];

const Reference = ({ text: reference }: { text: string }) => (
  <span class="reference" title={reference}>
    {reference}
  </span>
);

function timeOf(values: Readonly<Record<string, unknown>>): Date | undefined {
  const instant = instantOf(text(values["activityTimestamp"]), "UTC");
  return instant === undefined ? undefined : new Date(instant);
}
