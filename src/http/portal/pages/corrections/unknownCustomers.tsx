// Leads from rejected rows to the catalogue: lists customers that the catalogue lacks, and links to the page that judges rejected rows again.
import { groupedBy } from "../../../../domain/groupedBy.js";
import { type KnownCode, nearestCodes } from "../../../../domain/nearestCodes.js";
import { Button } from "../../shell/form.js";
import { ButtonLink, Link, Panel, useVisit, withQuery } from "../../shell/markup.js";
import { actionColumn, type Column, Table } from "../../shell/table.js";
import { addPath } from "../catalogue/cataloguePaths.js";
import { correctionsPath, type ShownRow } from "./shownRows.js";

export const judgeAgainPath = `${correctionsPath}/judge-again`;

const maxShownCustomers = 10;
const maxIdLength = 64;

/** The unknown customers for which open rows would be rejected today, those with the most rows first. */
export function unknownCustomers(rows: readonly ShownRow[]) {
  const ids = rows.flatMap(({ values, verdictToday }) => {
    const id = (values["customerId"] ?? "").trim();
    const isUnknown = verdictToday?.faulty.includes("customerId") && verdictToday.reason.includes("Customer not found");
    return isUnknown && id !== "" && id.length <= maxIdLength ? [id] : [];
  });
  return [...groupedBy(ids, (id) => id)].map(([id, { length }]) => ({ id, rows: length })).sort((a, b) => b.rows - a.rows);
}

const addCustomerPath = (id: string): string => withQuery(addPath("customers"), { id, back: "judge-again" });

const unknownColumns: readonly Column<{ id: string; rows: number }>[] = [
  { heading: "Customer", isRowHeader: true, value: ({ id }) => id },
  { heading: "Rows", number: true, value: ({ rows }) => rows },
  actionColumn(({ id }) => <ButtonLink to={addCustomerPath(id)} label="Add customer" quiet aria-description={`the customer ${id}`} />),
];

/** Shown only to admins, who can add customers. */
export function UnknownCustomers({ rows }: { rows: readonly ShownRow[] }) {
  const unknown = useVisit().may("catalogue") ? unknownCustomers(rows) : [];
  if (unknown.length === 0) return null;
  return (
    <Panel id="unknown-customers" title="Customers that are not in the catalogue">
      <Table
        caption="Customers that are not in the catalogue, and how many rows name them"
        columns={unknownColumns}
        rows={unknown.slice(0, maxShownCustomers)}
      />
      <p class="hint">If an id is mistyped, correct the row. If a customer is new, add it here and its rows are checked again.</p>
    </Panel>
  );
}

const maxCustomersInLine = 3;

/** Suggests a known id for a mistyped one. browser/corrections/tools.ts shows the button, with the number of rows to change. */
function CustomerSuggestion({ id, customers }: { id: string; customers: Iterable<KnownCode> }) {
  const suggestion = nearestCodes(id, customers, 1).find((code) => code.near);
  if (!suggestion) return null;
  const label = `${id}, did you mean ${suggestion.value}?`;
  return <Button type="button" class="quiet" label={label} data-find={id} data-replacement={suggestion.value} hidden />;
}

/** A link to check rejected rows again, and the unknown customers. It is one line, so that the grid stays on the first screen. */
export function CatalogueFollowUp({ rows, customers }: { rows: readonly ShownRow[]; customers: Iterable<KnownCode> }) {
  const { may } = useVisit();
  if (!may("operate")) return null;
  const unknown = unknownCustomers(rows);
  return (
    <p class="after-changes">
      <Link to={judgeAgainPath}>Check rejected rows again</Link>
      <span class="muted">for rows that the catalogue would accept now.</span>
      {unknown.slice(0, maxCustomersInLine).map(({ id }) => (
        <span>
          <CustomerSuggestion id={id} customers={customers} />
          {may("catalogue") ? <Link to={addCustomerPath(id)}>Add customer {id}</Link> : `${id} is not in the catalogue`}
        </span>
      ))}
      {unknown.length > maxCustomersInLine ? (
        <span class="muted">and {unknown.length - maxCustomersInLine} more, under Check rejected rows again</span>
      ) : null}
    </p>
  );
}
