// The rows behind the totals, or all those of one import, also the ones that no longer count.
import { type FieldName, fieldsOf } from "../../../../domain/imports/fields.js";
import { instantOf } from "../../../../domain/imports/timestamp.js";
import { unusualWords } from "../../../../domain/imports/unusual.js";
import { type ActivityState, listInPushOrder } from "../../../../queries/activities/activitiesInPushOrder.js";
import { pageOfActivities } from "../../../../queries/activities/activityLedger.js";
import { activityRowsAsOf } from "../../../../queries/activities/activityRowsAsOf.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { type UnusualRow, unusualRowsOf } from "../../../../queries/imports/unusualRows.js";
import type { Page } from "../../../../queries/page.js";
import { type Query, withQuery } from "../../links.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { Button } from "../../shell/form.js";
import { countInWords, groupDigits } from "../../shell/formats.js";
import { Badge, EmptyState, Pager } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Quantity, Time } from "../../shell/values.js";
import { Customer } from "../customers.js";
import { importPath, reversalPath, shownReference } from "../imports/importStatus.js";
import type { BillSum } from "./billLines.js";
import { type ActivitiesView, activitiesAddress, activitiesPath, activityPath, chosenPath, daysInWords, queryOf } from "./selection.js";

interface ListedActivity {
  readonly importId: string;
  /** The import's reference. */
  readonly reference: string;
  readonly row: number;
  readonly values: Readonly<Record<string, unknown>>;
  /** Only in the list of one import: every other list has only what counts. */
  readonly standing?: ActivityState;
  /** Only in the list of unusual rows. */
  readonly unusual?: UnusualRow | undefined;
}

const rowsPerPage = 50;

const pageOf = ({ visit }: ActivitiesView, { signingSecret }: PortalDeps) => ({
  limit: rowsPerPage,
  cursor: visit.query["cursor"] || undefined,
  secret: signingSecret,
});

export async function rowsThatCount(of: ActivitiesView, deps: PortalDeps): Promise<Page<ListedActivity>> {
  const { organisationId } = of.visit.person;
  const { filter, asOf } = of.selection;
  const { items, nextCursor } = asOf
    ? await activityRowsAsOf(organisationId, filter, asOf, pageOf(of, deps), deps.pool)
    : await pageOfActivities(organisationId, filter, pageOf(of, deps), deps.pool);
  return {
    items: items.map(({ sourceDetails, ...row }) => ({ ...row, reference: shownReference({ reference: sourceDetails }) })),
    nextCursor,
  };
}

export async function rowsOfImport(of: ActivitiesView, view: ImportView, deps: PortalDeps): Promise<Page<ListedActivity>> {
  const { filter, unusual: unusualOnly } = of.selection;
  const { organisationId } = of.visit.person;
  const [{ items, nextCursor }, unusual] = await Promise.all([
    listInPushOrder(organisationId, filter, { reversed: "include", unusualOnly }, pageOf(of, deps), deps.pool),
    unusualOnly ? unusualRowsOf(organisationId, view.importId, deps.pool) : [],
  ]);
  const reference = shownReference(view);
  const unusualByRow = new Map(unusual.map((each) => [each.row, each]));
  return {
    items: items.map(({ importId, row, values, ...standing }) => ({
      ...{ importId, row, values, reference, standing },
      unusual: unusualByRow.get(row),
    })),
    nextCursor,
  };
}

interface RowsProps {
  readonly of: ActivitiesView;
  readonly page: Page<ListedActivity>;
  /** Of all pages. */
  readonly sum: BillSum | undefined;
}

export function RowTable({ of, page: { items, nextCursor }, sum }: RowsProps) {
  const { visit, selection } = of;
  const start = Number(/^\d{1,9}$/.exec(visit.query["after"] ?? "")?.[0] ?? 0);
  const pager = (
    <Pager
      of="activities"
      cursor={visit.query["cursor"] || undefined}
      nextCursor={nextCursor}
      address={(cursor) => activitiesAddress(of, { cursor, after: cursor && String(start + items.length) })}
      range={{ start, shown: items.length, total: sum && { count: sum.rows, more: false } }}
    />
  );
  if (items.length === 0)
    return (
      <>
        <NoRows of={of} isLast={nextCursor === null} />
        {pager}
      </>
    );
  const isOfImport = selection.importId !== "";
  const caption = isOfImport ? "Activities in the order of the file" : "Activities by customer, warehouse, charge code and time";
  const withChoice = visit.may("operate") && !selection.asOf && items.some(isReversible);
  const doesNotCount = ({ standing }: ListedActivity) => Boolean(standing?.reversed || standing?.replacedBy);
  return (
    <>
      {sum ? (
        <p class="rows-sum">
          <strong>{countInWords(sum.rows, "row")}</strong>
          {sum.quantity === undefined ? null : (
            <>
              , quantity <strong>{groupDigits(sum.quantity)}</strong>
            </>
          )}
        </p>
      ) : null}
      <Table
        caption={caption}
        columns={[...(withChoice ? [choiceColumn(visit)] : []), ...columns(of, isOfImport)]}
        rows={items}
        muted={doesNotCount}
      />
      {withChoice ? <ChosenRows of={of} /> : null}
      {pager}
    </>
  );
}

const isReversible = ({ standing }: ListedActivity): boolean => !standing?.reversed;

/** The form stands below the table and not around it, so that the rows are printed. */
const choiceForm = "chosen-rows";

const choiceColumn = ({ query }: SignedInVisit): Column<ListedActivity> => ({
  heading: "Select",
  cell: (activity) =>
    isReversible(activity) ? (
      <input
        type="checkbox"
        name="row"
        value={`${activity.importId}:${activity.row}`}
        form={choiceForm}
        checked={query["select"] === "all"}
        aria-label={`Row ${activity.row} of ${activity.reference}`}
      />
    ) : null,
});

function ChosenRows({ of }: { of: ActivitiesView }) {
  const { visit, selection } = of;
  const { cursor, select } = visit.query;
  const here = (changes: Query) => queryOf(selection, { cursor, ...changes });
  return (
    <form id={choiceForm} method="get" action={visit.links.to(chosenPath)} class="button-row chosen-rows">
      <input type="hidden" name="back" value={withQuery(activitiesPath, here({}))} />
      <Button label="Reverse rows" class="quiet danger" />
      {select === "all" ? (
        <a href={visit.links.to(activitiesPath, here({}))}>Select none</a>
      ) : (
        <a href={visit.links.to(activitiesPath, here({ select: "all" }))}>Select all on this page</a>
      )}
    </form>
  );
}

function NoRows({ of: { selection }, isLast }: { of: ActivitiesView; isLast: boolean }) {
  if (!isLast)
    return (
      <EmptyState title="No matches on this page">Each page searches 5,000 activities. Go to the next page to search further.</EmptyState>
    );
  if (selection.importId !== "") return <EmptyState title="No activities of this import match" />;
  return <EmptyState title={`No activities in ${daysInWords(selection)}`}>Choose another month, or clear a filter.</EmptyState>;
}

const text = (value: unknown) => (value === null || value === undefined ? "" : String(value));

/** The fields with a column of their own; the others stand after them, as the table of fields has them. */
const ownColumns: readonly string[] = [
  "activityTimestamp",
  "customerId",
  "warehouseCode",
  "chargeCode",
  "quantity",
  "reference",
] satisfies readonly FieldName<"activity">[];
const otherFields = fieldsOf("activity").filter(({ name }) => !ownColumns.includes(name));

function columns(of: ActivitiesView, isOfImport: boolean): readonly Column<ListedActivity>[] {
  const { visit, nameOf } = of;
  return [
    { heading: "Time", names: true, cell: ({ values }) => <Time visit={visit} at={timeOf(values)} /> },
    { heading: "Customer", cell: ({ values }) => <Customer customerId={text(values["customerId"])} nameOf={nameOf} /> },
    { heading: "Warehouse", cell: ({ values }) => text(values["warehouseCode"]) },
    { heading: "Charge code", cell: ({ values }) => text(values["chargeCode"]) },
    { heading: "Quantity", number: true, cell: ({ values }) => <Quantity text={text(values["quantity"])} /> },
    { heading: "Reference", cell: ({ values }) => <Reference text={text(values["reference"])} /> },
    ...otherFields.map(({ name, heading }) => ({ heading, cell: ({ values }: ListedActivity) => text(values[name]) })),
    ...(of.selection.unusual ? [{ heading: "Unusual", cell: (activity: ListedActivity) => <Unusual of={of} activity={activity} /> }] : []),
    ...(isOfImport ? [{ heading: "Billing", cell: (activity: ListedActivity) => <CountState of={of} activity={activity} /> }] : []),
    {
      heading: isOfImport ? "Row" : "Import",
      cell: (activity) => <Source of={of} activity={activity} isOfImport={isOfImport} />,
    },
  ];
}

function Unusual({ of: { visit }, activity: { unusual } }: { of: ActivitiesView; activity: ListedActivity }) {
  if (!unusual) return null;
  const { kinds, near, sameAs } = unusual;
  return (
    <>
      {kinds.map((kind) => unusualWords[kind]).join(", ")}
      {near === undefined ? null : `; did you mean ${near}?`}
      {sameAs === undefined ? null : (
        <>
          {"; see "}
          <a href={visit.links.to(activityPath(sameAs.importId, sameAs.row))}>row {groupDigits(sameAs.row)}</a>
        </>
      )}
    </>
  );
}

function Source({ of: { visit }, activity, isOfImport }: { of: ActivitiesView; activity: ListedActivity; isOfImport: boolean }) {
  const { importId, reference, row } = activity;
  return (
    <span class="named">
      {isOfImport ? null : <a href={visit.links.to(importPath(importId))}>{reference}</a>}{" "}
      <a class="row-history" href={visit.links.to(activityPath(importId, row))}>
        {isOfImport ? null : "row "}
        {row}
        <span class="unseen">, the activity</span>
      </a>
    </span>
  );
}

/** Whether it is billed, and if not, why. */
function CountState({ of: { visit }, activity: { importId, standing } }: { of: ActivitiesView; activity: ListedActivity }) {
  if (standing?.reversed) {
    const { reversalId, reason } = standing.reversed;
    return (
      <a href={visit.links.to(reversalPath(importId, reversalId))} title={reason}>
        <Badge state={{ label: "Reversed", badge: "warn" }} />
      </a>
    );
  }
  if (standing?.replacedBy) {
    const { importId: other, row } = standing.replacedBy;
    return (
      <a href={visit.links.to(activityPath(other, row))}>
        <Badge state={{ label: "Replaced", badge: "" }} />
      </a>
    );
  }
  return <Badge state={{ label: "Billed", badge: "good" }} />;
}

const Reference = ({ text: reference }: { text: string }) => (
  <span class="reference" title={reference}>
    {reference}
  </span>
);

function timeOf(values: Readonly<Record<string, unknown>>): Date | undefined {
  const instant = instantOf(text(values["activityTimestamp"]), "UTC");
  return instant === undefined ? undefined : new Date(instant);
}
