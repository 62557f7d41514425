import { Rejection } from "../../../../domain/rejection.js";
import { defineForm, definePage, withNotice } from "../../pageDefinition.js";
import { countInWords } from "../../shell/formats.js";
import { EmptyState } from "../../shell/parts.js";
import { presentCatalogue } from "../customers.js";
import { importPath, shownReference } from "../imports/importStatus.js";
import { changeRows } from "./correctionAnswers.js";
import { correctionsPath, type Filter, filterIn, hasRows, rowCounts, rowsByImport } from "./correctionsFilter.js";
import { GridFrame } from "./gridFrame.js";
import { Choices, Reasons, readGroups } from "./rowChoices.js";
import { gridColumns, shownRows } from "./shownRows.js";
import { knownCustomers } from "./suggestions.js";
import { AfterChanges } from "./unknownCustomers.js";

/** More than one screen shows. The script asks for those after them. */
const firstRows = 50;

export const correctionsPage = definePage(correctionsPath, "look", async (visit, deps) => {
  const { filter, reference = "" } = await filterIn(visit, deps);
  const { kind, state, importId } = filter;
  const [counts, { reasons, imports, more }, { catalogue }, rows] = await Promise.all([
    rowCounts(visit, deps),
    readGroups(visit, filter, deps),
    presentCatalogue(visit, deps),
    shownRows(visit, filter, { limit: firstRows, cursor: visit.query["cursor"] || undefined }, deps),
  ]);
  const columns = gridColumns(kind, catalogue);
  return {
    title: "Rejected rows",
    ...(importId === undefined ? {} : { crumbs: [[shownReference({ reference }), importPath(importId)] as const] }),
    scripts: ["corrections.js"],
    body: (
      <>
        <Choices filter={filter} reference={reference} counts={counts} imports={imports} />
        {hasRows(counts[kind][state]) ? (
          <>
            <Reasons filter={filter} reasons={reasons} more={more} />
            {state === "open" ? <AfterChanges rows={rows.items} known={knownCustomers(catalogue)} /> : null}
            <GridFrame visit={visit} filter={filter} columns={columns} rows={rows} />
          </>
        ) : (
          <EmptyState title={emptyTitles[state]}>
            {state === "open" ? "Rows that an import rejects appear here once it has completed." : undefined}
          </EmptyState>
        )}
      </>
    ),
  };
});

const emptyTitles: Readonly<Record<Filter["state"], string>> = {
  open: "No rejected rows to correct",
  submitted: "No corrections in progress",
  corrected: "No corrected rows",
  dismissed: "No dismissed rows",
};

const stateForm = (what: "dismiss" | "reopen", outcome: string) =>
  defineForm(correctionsPage, { below: `/${what}`, access: "operate" }, async (visit, fields, deps) => {
    const chosen = rowsByImport(fields.all("rows"));
    if (chosen.length === 0) throw new Rejection("invalid", "Select at least one row");
    for (const [importId, rows] of chosen) await changeRows(what, visit, deps, { importId, rows, note: fields.get("note") });
    const count = chosen.flatMap(([, rows]) => rows).length;
    const back = fields.get("back");
    return withNotice(back.startsWith(`${correctionsPath}?`) ? back : correctionsPath, `${countInWords(count, "row")} ${outcome}.`);
  });

export const correctionForms = [stateForm("dismiss", "dismissed"), stateForm("reopen", "reopened")];
