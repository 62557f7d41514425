import type { Page } from "../../../../queries/page.js";
import type { SignedInVisit } from "../../page.js";
import { Field, Form } from "../../shell/form.js";
import { type Column, Pager, Panel, Table } from "../../shell/panel.js";
import { historyPath, importPath } from "../imports/status.js";
import { addressOf, correctionsPath, type Filter } from "./filter.js";
import type { ShownRow } from "./shownRows.js";

/** For browsers without scripts: the rows, the files to correct them in, and forms that dismiss and reopen. */
export function PlainList({ visit, filter, rows }: { visit: SignedInVisit; filter: Filter; rows: Page<ShownRow> }) {
  const { state } = filter;
  const leads = rows.items.filter((row) => row.row === row.with);
  const form = state === "open" ? "dismiss" : state === "dismissed" ? "reopen" : undefined;
  const table = (
    <Table caption="Rejected rows" columns={columns(visit, rows.items, form !== undefined && visit.may("operate"))} rows={leads} />
  );
  return (
    <Panel id="list" title="Rows">
      <p class="hint">To edit rows here, turn on JavaScript. Or download an import's error report, correct it and upload it.</p>
      {form !== undefined && visit.may("operate") ? (
        <Form visit={visit} to={`${correctionsPath}/${form}`}>
          <input type="hidden" name="back" value={addressOf(filter)} />
          {table}
          {form === "dismiss" ? <Field label="Note" name="note" maxlength={1000} required={false} /> : null}
          <div>
            <button type="submit">{form === "dismiss" ? "Dismiss" : "Reopen"}</button>
          </div>
        </Form>
      ) : (
        table
      )}
      <Pager
        of="rows"
        cursor={visit.query["cursor"] || undefined}
        nextCursor={rows.nextCursor}
        address={(cursor) => visit.links.to(addressOf(filter, { cursor }))}
      />
    </Panel>
  );
}

const columns = (visit: SignedInVisit, all: readonly ShownRow[], withChoice: boolean): readonly Column<ShownRow>[] => {
  const linesOf = (lead: ShownRow) => all.filter((row) => row.importId === lead.importId && row.with === lead.row);
  const numbers = (lead: ShownRow) => linesOf(lead).map(({ row }) => row);
  return [
    ...(withChoice
      ? [
          {
            heading: "Select",
            cell: (lead: ShownRow) => (
              <input
                type="checkbox"
                name="rows"
                value={`${lead.importId}:${numbers(lead).join()}`}
                aria-label={`Row ${numbers(lead).join(", ")} of ${lead.reference}`}
              />
            ),
          },
        ]
      : []),
    {
      heading: "Rows",
      names: true,
      cell: (lead) =>
        numbers(lead).map((row, index) => (
          <>
            {index === 0 ? "" : ", "}
            <a href={visit.links.to(historyPath(lead.importId, row))}>{row}</a>
          </>
        )),
    },
    { heading: "Import", cell: ({ importId, reference }) => <a href={visit.links.to(importPath(importId))}>{reference}</a> },
    { heading: "Problem", cell: (lead) => [...new Set(linesOf(lead).map(({ error }) => error))].join("; ") },
  ];
};
