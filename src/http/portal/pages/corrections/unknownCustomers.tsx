// From rejected rows to the catalogue: the customers that rows name and the catalogue does not have, and the rows that it accepts by now.

import { groupedBy } from "../../../../domain/groupedBy.js";
import { type KnownCode, nearestCodes } from "../../../../domain/nearestCodes.js";
import { Button } from "../../shell/form.js";
import { ButtonLink, Link, Panel, useVisit, withQuery } from "../../shell/parts.js";
import { actionColumn, type Column, Table } from "../../shell/table.js";
import { addPath } from "../catalogue/cataloguePaths.js";
import { correctionsPath, type ShownRow } from "./shownRows.js";

export const judgeAgainPath = `${correctionsPath}/judge-again`;

const mostShown = 10;
/** As long as a customer's id may be. */
const longestId = 64;

/** The customers that open rows are rejected for today, those of the most rows first. */
export function unknownCustomers(rows: readonly ShownRow[]) {
  const ids = rows.flatMap(({ values, verdictToday }) => {
    const id = (values["customerId"] ?? "").trim();
    const isUnknown = verdictToday?.faulty.includes("customerId") && verdictToday.reason.includes("Customer not found");
    return isUnknown && id !== "" && id.length <= longestId ? [id] : [];
  });
  return [...groupedBy(ids, (id) => id)].map(([id, { length }]) => ({ id, rows: length })).sort((a, b) => b.rows - a.rows);
}

const addCustomerPath = (id: string): string => withQuery(addPath("customers"), { id, back: "judge-again" });

const unknownColumns: readonly Column<{ id: string; rows: number }>[] = [
  { heading: "Customer", names: true, value: ({ id }) => id },
  { heading: "Rows", number: true, value: ({ rows }) => rows },
  actionColumn(({ id }) => <ButtonLink to={addCustomerPath(id)} label="Add customer" quiet aria-description={`the customer ${id}`} />),
];

/** For admins, who can add them. */
export function UnknownCustomers({ rows }: { rows: readonly ShownRow[] }) {
  const unknown = useVisit().may("catalogue") ? unknownCustomers(rows) : [];
  if (unknown.length === 0) return null;
  return (
    <Panel id="unknown-customers" title="Customers that are not in the catalogue">
      <Table
        caption="Customers that are not in the catalogue, and how many rows name them"
        columns={unknownColumns}
        rows={unknown.slice(0, mostShown)}
      />
      <p class="hint">If an id is mistyped, correct the row. If a customer is new, add it here and its rows are checked again.</p>
    </Panel>
  );
}

const mostInLine = 3;

/** A mistyped id is likelier than a new customer. The script shows the button, with its number of rows, and replaces the id in them. */
function NearCustomer({ id, known }: { id: string; known: Iterable<KnownCode> }) {
  const near = nearestCodes(id, known, 1).find((code) => code.near);
  if (!near) return null;
  const label = `${id}, did you mean ${near.value}?`;
  return <Button type="button" class="quiet" label={label} data-find={id} data-replacement={near.value} hidden />;
}

/** One line, so that the grid stays on the first screen: the rows that are accepted by now, and for admins the customers to add. */
export function AfterChanges({ rows, known }: { rows: readonly ShownRow[]; known: Iterable<KnownCode> }) {
  const { may } = useVisit();
  if (!may("operate")) return null;
  const unknown = unknownCustomers(rows);
  return (
    <p class="after-changes">
      <Link to={judgeAgainPath}>Check rejected rows again</Link>
      <span class="muted">for rows that the catalogue would accept now.</span>
      {unknown.slice(0, mostInLine).map(({ id }) => (
        <span>
          <NearCustomer id={id} known={known} />
          {may("catalogue") ? <Link to={addCustomerPath(id)}>Add customer {id}</Link> : `${id} is not in the catalogue`}
        </span>
      ))}
      {unknown.length > mostInLine ? (
        <span class="muted">and {unknown.length - mostInLine} more, under Check rejected rows again</span>
      ) : null}
    </p>
  );
}
