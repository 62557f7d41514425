import { instantOf } from "../../../../domain/imports/timestamp.js";
import type { FoundActivity } from "../../../../queries/activities/activityRows.js";
import type { Page } from "../../../../queries/page.js";
import { Pager } from "../../shell/list.js";
import { type Column, EmptyState, Table } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { historyPath, importPath } from "../imports/status.js";
import { type Asked, addressOf } from "./asked.js";
import { Customer, type NameOfCustomer, Quantity } from "./names.js";
import { periodWords } from "./period.js";

interface RowsProps {
  readonly visit: SignedInVisit;
  readonly asked: Asked;
  readonly page: Page<FoundActivity>;
  readonly nameOf: NameOfCustomer;
}

export function Rows({ visit, asked, page: { items, nextCursor }, nameOf }: RowsProps) {
  if (items.length === 0)
    return <EmptyState title={`No activities in ${periodWords(asked.period)}`}>Look at another month, or leave out a filter.</EmptyState>;
  return (
    <>
      <Table caption="Activities by customer, warehouse, charge code and time" columns={columns(visit, nameOf)} rows={items} />
      <Pager
        of="activities"
        cursor={visit.query["cursor"] || undefined}
        nextCursor={nextCursor}
        address={(cursor) => addressOf(visit, asked, { cursor })}
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

const Reference = ({ text: reference }: { readonly text: string }) => (
  <span class="reference" title={reference}>
    {reference}
  </span>
);

function timeOf(values: Readonly<Record<string, unknown>>): Date | undefined {
  const instant = instantOf(text(values["activityTimestamp"]), "UTC");
  return instant === undefined ? undefined : new Date(instant);
}
