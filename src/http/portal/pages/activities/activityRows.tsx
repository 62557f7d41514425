// The rows behind the totals, or all rows of one import, including those that no longer count.
import type { Child } from "hono/jsx";
import { type FieldName, fieldsOf } from "../../../../domain/imports/fields.js";
import { instantOf } from "../../../../domain/imports/timestamp.js";
import { unusualWords } from "../../../../domain/imports/unusual.js";
import { Rejection } from "../../../../domain/rejection.js";
import { type ActivityState, type ActivityWithState, listInPushOrder } from "../../../../queries/activities/activitiesInPushOrder.js";
import { pageOfActivities } from "../../../../queries/activities/activityRows.js";
import { readActivityTotals } from "../../../../queries/activities/activityTotals.js";
import { type UnusualRow, unusualRowsOf } from "../../../../queries/imports/unusualRows.js";
import type { RowPage } from "../../../../queries/rowPage.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { Button } from "../../shell/form.js";
import { countInWords, groupDigits } from "../../shell/formats.js";
import { Badge, EmptyState, Link, Pager, parseOffset, Quantity, type Query, rowsPerPage, Time, withQuery } from "../../shell/markup.js";
import { type Column, Table } from "../../shell/table.js";
import { Customer, type NameOfCustomer } from "../customers.js";
import { importPath, reversalPath, shownReference } from "../imports/importStatus.js";
import { type BillSum, billSum } from "./bills.js";
import { type ActivitiesView, activitiesPath, activitiesPathOf, activityPath, daysInWords, queryOf, selectionPath } from "./selection.js";

/** `reversed` and `replacedBy` are set only in the list of one import. Rows behind totals have neither: all of them count. */
interface ListedActivity extends Omit<ActivityWithState, keyof ActivityState>, Partial<ActivityState> {
  /** The import's reference. */
  readonly reference: string;
  /** Set only in the list of unusual rows. */
  readonly unusual?: UnusualRow | undefined;
}

async function readRows({ visit, filter, asOf, shownImport }: ActivitiesView, deps: PortalDeps): Promise<RowPage<ListedActivity>> {
  const { organisationId } = visit.person;
  const { pool } = deps;
  const page = { limit: rowsPerPage, cursor: visit.query["cursor"] || undefined, secret: deps.signingSecret };
  if (shownImport) {
    const unusualOnly = visit.query["unusual"] === "yes";
    const [{ items, nextCursor }, unusual] = await Promise.all([
      listInPushOrder(organisationId, filter, { reversed: "include", unusualOnly }, page, pool),
      unusualOnly ? unusualRowsOf(organisationId, shownImport.importId, pool) : [],
    ]);
    const byRow = new Map(unusual.map((each) => [each.row, each]));
    return { items: items.map((each) => ({ ...each, reference: shownReference(shownImport), unusual: byRow.get(each.row) })), nextCursor };
  }
  const { items, nextCursor } = await pageOfActivities(organisationId, { ...filter, asOf }, page, pool);
  const listed = items.map(({ sourceDetails, ...row }) => ({ ...row, reference: shownReference({ reference: sourceDetails }) }));
  return { items: listed, nextCursor };
}

/** The total of the rows on all pages; undefined if there are too many to add up. */
const sumOfRows = ({ visit, filter, asOf }: ActivitiesView, { pool }: PortalDeps): Promise<BillSum | undefined> =>
  readActivityTotals(visit.person.organisationId, { ...filter, asOf }, pool).then(billSum, (error: unknown) => {
    if (error instanceof Rejection) return undefined;
    throw error;
  });

/** `isEmpty` is true if there is nothing to download. */
export async function rowsPart(view: ActivitiesView, deps: PortalDeps): Promise<{ readonly body: Child; readonly isEmpty: boolean }> {
  const { visit, shownImport, asOf } = view;
  const [{ items, nextCursor }, sum] = await Promise.all([readRows(view, deps), shownImport ? undefined : sumOfRows(view, deps)]);
  const cursor = visit.query["cursor"] || undefined;
  const start = parseOffset(visit.query["after"]);
  const canSelect = visit.may("operate") && !asOf && items.some(({ reversed }) => !reversed);
  const body = (
    <>
      {sum && items.length > 0 ? (
        <p class="rows-sum">
          <strong>{countInWords(sum.rows, "row")}</strong>
          {sum.quantity === undefined ? null : [", quantity ", <strong>{groupDigits(sum.quantity)}</strong>]}
        </p>
      ) : null}
      <Table
        caption={shownImport ? "Activities in the order of the file" : "Activities by customer, warehouse, charge code and time"}
        columns={[...(canSelect ? [selectColumn(visit)] : []), ...activityColumns(view)]}
        rows={items}
        isMuted={({ reversed, replacedBy }) => Boolean(reversed || replacedBy)}
        empty={<NoRows view={view} isLast={nextCursor === null} />}
      />
      {canSelect ? <SelectedRowsForm view={view} /> : null}
      <Pager
        {...{ plural: "activities", isFirst: cursor === undefined, nextCursor }}
        path={(next) => activitiesPathOf(view, { cursor: next, after: next && String(start + items.length) })}
        range={{ start, shown: items.length, total: sum && { count: sum.rows, more: false } }}
      />
    </>
  );
  return { body, isEmpty: items.length === 0 && cursor === undefined };
}

/** The form is below the table, not around it, because printing leaves forms out. */
const selectionFormId = "chosen-rows";

const selectColumn = ({ query }: SignedInVisit): Column<ListedActivity> => ({
  heading: "Select",
  cell: ({ importId, row, reference, reversed }) =>
    reversed ? null : (
      <input
        type="checkbox"
        name="row"
        value={`${importId}:${row}`}
        form={selectionFormId}
        checked={query["select"] === "all"}
        aria-label={`Row ${row} of ${reference}`}
      />
    ),
});

function SelectedRowsForm({ view }: { view: ActivitiesView }) {
  const { links, query } = view.visit;
  const { cursor, select } = query;
  const parametersWith = (changes: Query) => queryOf(view, { cursor, ...changes });
  const [label, next] = select === "all" ? ["Select none", undefined] : ["Select all on this page", "all"];
  return (
    <form id={selectionFormId} method="get" action={links.to(selectionPath)} class="button-row chosen-rows">
      <input type="hidden" name="back" value={withQuery(activitiesPath, parametersWith({}))} />
      <Button label="Correct rows" name="do" value="correct" class="quiet" />
      <Button label="Reverse rows" class="quiet danger" />
      <Link to={withQuery(activitiesPath, parametersWith({ select: next }))}>{label}</Link>
    </form>
  );
}

function NoRows({ view, isLast }: { view: ActivitiesView; isLast: boolean }) {
  if (!isLast)
    return (
      <EmptyState title="No matches on this page">Each page searches 5,000 activities. Go to the next page to search further.</EmptyState>
    );
  if (view.shownImport) return <EmptyState title="No activities of this import match" />;
  return <EmptyState title={`No activities in ${daysInWords(view)}`}>Choose another month, or clear a filter.</EmptyState>;
}

/** A value of an activity: in full if `exact`, as the activity's own page shows it; otherwise shortened for a table. */
export function shownValue(name: FieldName<"activity">, value: unknown, nameOf: NameOfCustomer, exact = false): Child {
  const text = value === null || value === undefined ? "" : String(value);
  if (name === "customerId") return <Customer customerId={text} nameOf={nameOf} />;
  if (text === "") return <span class="muted">-</span>;
  if (name === "quantity") return <Quantity text={text} />;
  if (name === "reference" && !exact)
    return (
      <span class="reference" title={text}>
        {text}
      </span>
    );
  const at = fieldsOf("activity").find((field) => field.name === name)?.type === "time" ? instantOf(text, "UTC") : undefined;
  return at === undefined ? text : <Time at={new Date(at)} exact={exact} />;
}

/** The fields of the first columns, with short headings. The other fields follow with their own headings. */
const leadingHeadings: Readonly<Partial<Record<FieldName<"activity">, string>>> = {
  activityTimestamp: "Time",
  customerId: "Customer",
  warehouseCode: "Warehouse",
  chargeCode: "Charge code",
  quantity: "Quantity",
  reference: "Reference",
};
const headingsByField = fieldsOf("activity").map(({ name, heading }) => [name, leadingHeadings[name] ?? heading]);
const shownFields = Object.entries({ ...leadingHeadings, ...Object.fromEntries(headingsByField) }) as [FieldName<"activity">, string][];

function activityColumns(view: ActivitiesView): readonly Column<ListedActivity>[] {
  const { visit, nameOf, shownImport } = view;
  return [
    ...shownFields.map(
      ([name, heading]): Column<ListedActivity> => ({
        heading,
        isRowHeader: name === "activityTimestamp",
        number: name === "quantity",
        cell: ({ values }) => shownValue(name, values[name], nameOf),
      }),
    ),
    ...(visit.query["unusual"] === "yes" ? [{ heading: "Unusual", cell: Unusual }] : []),
    ...(shownImport ? [{ heading: "Billing", cell: BillingState }] : []),
    {
      heading: shownImport ? "Row" : "Import",
      cell: ({ importId, reference, row }) => (
        <span class="named">
          {shownImport ? null : <Link to={importPath(importId)}>{reference}</Link>}{" "}
          <Link class="row-history" to={activityPath(importId, row)}>
            {shownImport ? null : "row "}
            {row}
            <span class="unseen">, the activity</span>
          </Link>
        </span>
      ),
    },
  ];
}

function Unusual({ unusual }: ListedActivity) {
  if (!unusual) return null;
  const { kinds, near, sameAs } = unusual;
  return (
    <>
      {kinds.map((kind) => unusualWords[kind]).join(", ")}
      {near === undefined ? null : `; did you mean ${near}?`}
      {sameAs === undefined ? null : (
        <>
          {"; see "}
          <Link to={activityPath(sameAs.importId, sameAs.row)}>row {groupDigits(sameAs.row)}</Link>
        </>
      )}
    </>
  );
}

/** A badge that says whether the activity is billed. If not, it links to the reversal, or to the row that counts instead. */
export function BillingState({ importId, reversed, replacedBy }: Partial<ActivityState> & { readonly importId: string }) {
  if (!reversed && !replacedBy) return <Badge state={{ label: "Billed", badge: "good" }} />;
  const replacementPath = replacedBy ? activityPath(replacedBy.importId, replacedBy.row) : "";
  return (
    <Link
      to={reversed ? reversalPath(importId, reversed.reversalId) : replacementPath}
      title={reversed?.reason ?? "See the activity that counts instead"}
    >
      <Badge state={reversed ? { label: "Reversed", badge: "warn" } : { label: "Replaced", badge: "" }} />
    </Link>
  );
}
