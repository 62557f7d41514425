import { Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import { groupItems } from "../../groupItems.js";
import { type FormDefinition, type PageDefinition, type SignedInVisit, withNotice } from "../../pageDefinition.js";
import { countInWords } from "../../shell/formats.js";
import { EmptyState } from "../../shell/panel.js";
import { presentCatalogue } from "../customers.js";
import { importPath, shownReference } from "../imports/importStatus.js";
import { dismiss, reopen } from "./correctionAnswers.js";
import { correctionsPath, type Filter, filterIn, hasRows } from "./correctionsFilter.js";
import { GridFrame } from "./gridFrame.js";
import { Choices, Reasons, readGroups } from "./rowChoices.js";
import { gridColumns, shownRows } from "./shownRows.js";
import { knownCustomers } from "./suggestions.js";
import { AfterChanges } from "./unknownCustomers.js";

/** More than one screen shows. The script asks for those after them. */
const firstRows = 50;

export const correctionsPage: PageDefinition<SignedInVisit> = {
  path: correctionsPath,
  access: "look",
  show: async (visit, deps) => {
    const { filter, reference, counts: countRows } = await filterIn(visit, deps);
    const { kind, state } = filter;
    const [counts, { reasons, imports, more }, { catalogue }, rows] = await Promise.all([
      countRows(),
      readGroups(visit, filter, deps),
      presentCatalogue(visit, deps),
      shownRows(visit, filter, { limit: firstRows, cursor: visit.query["cursor"] || undefined }, deps),
    ]);
    const none = !hasRows(counts[kind][state]);
    return {
      title: "Rejected rows",
      ...(filter.importId === undefined
        ? {}
        : { crumbs: [[shownReference({ reference: reference ?? "" }), importPath(filter.importId)] as const] }),
      scripts: ["corrections.js"],
      body: (
        <>
          <Choices visit={visit} filter={filter} reference={reference} counts={counts} imports={imports} />
          {none ? (
            <EmptyState title={emptyTitles[state]}>
              {state === "open" ? "Rows that an import rejects appear here once it has completed." : undefined}
            </EmptyState>
          ) : (
            <>
              <Reasons visit={visit} filter={filter} reasons={reasons} more={more} />
              {state === "open" ? <AfterChanges visit={visit} rows={rows.items} known={knownCustomers(catalogue)} /> : null}
              <GridFrame visit={visit} filter={filter} columns={gridColumns(kind, catalogue)} rows={rows} />
            </>
          )}
        </>
      ),
    };
  },
};

const emptyTitles: Readonly<Record<Filter["state"], string>> = {
  open: "No rejected rows to correct",
  submitted: "No corrections in progress",
  corrected: "No corrected rows",
  dismissed: "No dismissed rows",
};

/** `<import id>:<row>,<row>`, once for each shipment or activity that is chosen. */
function chosenRows(chosen: readonly string[]) {
  if (chosen.length === 0) throw new Rejection("invalid", "Select at least one row");
  const named = chosen.flatMap((each) => {
    const [importId = "", numbers = ""] = each.split(":");
    return numbers.split(",").map((text) => ({ importId, row: /^\d{1,10}$/.test(text) ? Number(text) : 0 }));
  });
  if (named.some(({ importId, row }) => !isUuid(importId) || row < 1 || row > 2_147_483_647))
    throw new Rejection("invalid", "The form does not name rows");
  return groupItems(named, ({ importId }) => importId);
}

const stateForm = (what: string, change: typeof dismiss, outcome: string): FormDefinition<SignedInVisit> => ({
  path: `${correctionsPath}/${what}`,
  access: "operate",
  page: correctionsPage,
  submit: async (visit, fields, deps) => {
    let count = 0;
    for (const [importId, named] of chosenRows(fields.all("rows"))) {
      const rows = [...new Set(named.map(({ row }) => row))];
      await change(visit, deps, { importId, rows, note: fields.get("note") });
      count += rows.length;
    }
    const back = fields.get("back");
    const goTo = back.startsWith(`${correctionsPath}?`) ? back : correctionsPath;
    return withNotice(goTo, `${countInWords(count, "row", "rows")} ${outcome}.`);
  },
});

export const correctionForms = [stateForm("dismiss", dismiss, "dismissed"), stateForm("reopen", reopen, "reopened")];
