// The rows behind the totals, or all those of one import, also the ones that no longer count.
import type { Child } from "hono/jsx";
import { type FieldName, fieldsOf } from "../../../../domain/imports/fields.js";
import { instantOf } from "../../../../domain/imports/timestamp.js";
import { unusualWords } from "../../../../domain/imports/unusual.js";
import { Rejection } from "../../../../domain/rejection.js";
import { type ActivityState, type ActivityWithState, listInPushOrder } from "../../../../queries/activities/activitiesInPushOrder.js";
import { pageOfActivities } from "../../../../queries/activities/activityRows.js";
import { activityTotals } from "../../../../queries/activities/activityTotals.js";
import { type UnusualRow, unusualRowsOf } from "../../../../queries/imports/unusualRows.js";
import type { RowPage } from "../../../../queries/rowPage.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { Button } from "../../shell/form.js";
import { countInWords, groupDigits } from "../../shell/formats.js";
import { Badge, EmptyState, Link, Pager, Quantity, type Query, rowsBefore, rowsPerPage, Time, withQuery } from "../../shell/parts.js";
import { type Column, Table } from "../../shell/table.js";
import { Customer, type NameOfCustomer } from "../customers.js";
import { importPath, reversalPath, shownReference } from "../imports/importStatus.js";
import { type BillSum, billSum } from "./bills.js";
import { type ActivitiesView, activitiesPath, activitiesPathOf, activityPath, chosenPath, daysInWords, queryOf } from "./selection.js";

interface ListedActivity extends Omit<ActivityWithState, keyof ActivityState>, Partial<ActivityState> {
  /** The import's reference. */
  readonly reference: string;
  /** Only in the list of unusual rows. */
  readonly unusual?: UnusualRow | undefined;
}

async function readRows({ visit, filter, asOf, only }: ActivitiesView, deps: PortalDeps): Promise<RowPage<ListedActivity>> {
  const { organisationId } = visit.person;
  const { pool } = deps;
  const page = { limit: rowsPerPage, cursor: visit.query["cursor"] || undefined, secret: deps.signingSecret };
  if (only) {
    const unusualOnly = visit.query["unusual"] === "yes";
    const [{ items, nextCursor }, unusual] = await Promise.all([
      listInPushOrder(organisationId, filter, { reversed: "include", unusualOnly }, page, pool),
      unusualOnly ? unusualRowsOf(organisationId, only.importId, pool) : [],
    ]);
    const byRow = new Map(unusual.map((each) => [each.row, each]));
    return { items: items.map((each) => ({ ...each, reference: shownReference(only), unusual: byRow.get(each.row) })), nextCursor };
  }
  const { items, nextCursor } = await pageOfActivities(organisationId, { ...filter, asOf }, page, pool);
  const named = items.map(({ sourceDetails, ...row }) => ({ ...row, reference: shownReference({ reference: sourceDetails }) }));
  return { items: named, nextCursor };
}

/** The total that led here; undefined where there are too many to add up. */
const sumOfRows = ({ visit, filter, asOf }: ActivitiesView, { pool }: PortalDeps): Promise<BillSum | undefined> =>
  activityTotals(visit.person.organisationId, { ...filter, asOf }, pool).then(billSum, (error: unknown) => {
    if (error instanceof Rejection) return undefined;
    throw error;
  });

/** `isEmpty`: there is nothing to download. */
export async function rowsPart(view: ActivitiesView, deps: PortalDeps): Promise<{ readonly body: Child; readonly isEmpty: boolean }> {
  const { visit, only, asOf } = view;
  const [{ items, nextCursor }, sum] = await Promise.all([readRows(view, deps), only ? undefined : sumOfRows(view, deps)]);
  const cursor = visit.query["cursor"] || undefined;
  const start = rowsBefore(visit.query["after"]);
  const withChoice = visit.may("operate") && !asOf && items.some(({ reversed }) => !reversed);
  const body = (
    <>
      {sum && items.length > 0 ? (
        <p class="rows-sum">
          <strong>{countInWords(sum.rows, "row")}</strong>
          {sum.quantity === undefined ? null : [", quantity ", <strong>{groupDigits(sum.quantity)}</strong>]}
        </p>
      ) : null}
      <Table
        caption={only ? "Activities in the order of the file" : "Activities by customer, warehouse, charge code and time"}
        columns={[...(withChoice ? [choiceColumn(visit)] : []), ...columns(view)]}
        rows={items}
        muted={({ reversed, replacedBy }) => Boolean(reversed || replacedBy)}
        empty={<NoRows view={view} isLast={nextCursor === null} />}
      />
      {withChoice ? <ChosenRows view={view} /> : null}
      <Pager
        {...{ of: "activities", isFirst: cursor === undefined, nextCursor }}
        path={(next) => activitiesPathOf(view, { cursor: next, after: next && String(start + items.length) })}
        range={{ start, shown: items.length, total: sum && { count: sum.rows, more: false } }}
      />
    </>
  );
  return { body, isEmpty: items.length === 0 && cursor === undefined };
}

/** The form stands below the table and not around it, so that the rows are printed. */
const choiceForm = "chosen-rows";

const choiceColumn = ({ query }: SignedInVisit): Column<ListedActivity> => ({
  heading: "Select",
  cell: ({ importId, row, reference, reversed }) =>
    reversed ? null : (
      <input
        type="checkbox"
        name="row"
        value={`${importId}:${row}`}
        form={choiceForm}
        checked={query["select"] === "all"}
        aria-label={`Row ${row} of ${reference}`}
      />
    ),
});

function ChosenRows({ view }: { view: ActivitiesView }) {
  const { links, query } = view.visit;
  const { cursor, select } = query;
  const here = (changes: Query) => queryOf(view, { cursor, ...changes });
  const [label, next] = select === "all" ? ["Select none", undefined] : ["Select all on this page", "all"];
  return (
    <form id={choiceForm} method="get" action={links.to(chosenPath)} class="button-row chosen-rows">
      <input type="hidden" name="back" value={withQuery(activitiesPath, here({}))} />
      <Button label="Correct rows" name="do" value="correct" class="quiet" />
      <Button label="Reverse rows" class="quiet danger" />
      <Link to={withQuery(activitiesPath, here({ select: next }))}>{label}</Link>
    </form>
  );
}

function NoRows({ view, isLast }: { view: ActivitiesView; isLast: boolean }) {
  if (!isLast)
    return (
      <EmptyState title="No matches on this page">Each page searches 5,000 activities. Go to the next page to search further.</EmptyState>
    );
  if (view.only) return <EmptyState title="No activities of this import match" />;
  return <EmptyState title={`No activities in ${daysInWords(view)}`}>Choose another month, or clear a filter.</EmptyState>;
}

/** A value of an activity, in a table or `exact`, among the facts of one activity. */
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

/** The fields that lead, as the table names them; the others stand after them. */
const leading: Readonly<Partial<Record<FieldName<"activity">, string>>> = {
  activityTimestamp: "Time",
  customerId: "Customer",
  warehouseCode: "Warehouse",
  chargeCode: "Charge code",
  quantity: "Quantity",
  reference: "Reference",
};
const headings = fieldsOf("activity").map(({ name, heading }) => [name, leading[name] ?? heading]);
const shownFields = Object.entries({ ...leading, ...Object.fromEntries(headings) }) as [FieldName<"activity">, string][];

function columns(view: ActivitiesView): readonly Column<ListedActivity>[] {
  const { visit, nameOf, only } = view;
  return [
    ...shownFields.map(
      ([name, heading]): Column<ListedActivity> => ({
        heading,
        names: name === "activityTimestamp",
        number: name === "quantity",
        cell: ({ values }) => shownValue(name, values[name], nameOf),
      }),
    ),
    ...(visit.query["unusual"] === "yes" ? [{ heading: "Unusual", cell: Unusual }] : []),
    ...(only ? [{ heading: "Billing", cell: CountState }] : []),
    {
      heading: only ? "Row" : "Import",
      cell: ({ importId, reference, row }) => (
        <span class="named">
          {only ? null : <Link to={importPath(importId)}>{reference}</Link>}{" "}
          <Link class="row-history" to={activityPath(importId, row)}>
            {only ? null : "row "}
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

/** Whether it is billed; if not, the badge leads to the reversal, or to the row that counts instead. */
export function CountState({ importId, reversed, replacedBy }: Partial<ActivityState> & { readonly importId: string }) {
  if (!reversed && !replacedBy) return <Badge state={{ label: "Billed", badge: "good" }} />;
  const instead = replacedBy ? activityPath(replacedBy.importId, replacedBy.row) : "";
  return (
    <Link
      to={reversed ? reversalPath(importId, reversed.reversalId) : instead}
      title={reversed?.reason ?? "See the activity that counts instead"}
    >
      <Badge state={reversed ? { label: "Reversed", badge: "warn" } : { label: "Replaced", badge: "" }} />
    </Link>
  );
}
