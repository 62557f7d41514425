import { rangesInWords, rangesOf } from "../../../../domain/ranges.js";
import { Rejection } from "../../../../domain/rejection.js";
import { requireImport } from "../../../../queries/imports/importStatus.js";
import { definePage, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { countInWords } from "../../shell/formats.js";
import { ButtonLink, Link, Panel, withQuery } from "../../shell/parts.js";
import { type Column, Table } from "../../shell/table.js";
import { rowsByImport } from "../corrections/correctionsFilter.js";
import { importPath, reversePath, shownReference } from "../imports/importStatus.js";
import { activitiesPath, activityPath } from "./selection.js";

/** Takes the rows that were chosen to be reversed or corrected. */
export const chosenPath = `${activitiesPath}/reverse`;

/** Leads to the reversal or the correction of the chosen rows. A reversal is of one import, and rows are corrected one by one: more are listed. */
export const chosenRowsPage = definePage(chosenPath, "operate", async (visit, deps) => {
  const chosen = await chosenIn(visit, deps);
  const [only] = chosen;
  const isCorrection = visit.query["do"] === "correct";
  if (isCorrection && only && chosen.length === 1 && only.rows.length === 1)
    return { goTo: activityPath(only.importId, only.rows[0] ?? 0) };
  if (!isCorrection && only && chosen.length === 1) return { goTo: addressOf(only) };
  const back = visit.query["back"] ?? "";
  const empty = <p>Go back and select rows in the first column.</p>;
  return {
    title: isCorrection ? "Correct rows" : "Reverse rows",
    crumbs: [["Activities", back.startsWith(`${activitiesPath}?`) ? back : activitiesPath]],
    body: (
      <Panel id="chosen" title={only ? `Rows of ${countInWords(chosen.length, "import")} are selected` : "No rows are selected"}>
        {only ? <p>Rows are {isCorrection ? "corrected one by one" : "reversed one import at a time"}. Start with one of these.</p> : null}
        <Table caption="Selected rows by import" columns={columns(isCorrection)} rows={chosen} empty={empty} />
      </Panel>
    ),
  };
});

const mostChosen = 200;

type SelectedRows = Awaited<ReturnType<typeof chosenIn>>[number];

/** `row=<import id>:<row>`, once for each. */
async function chosenIn({ context, person }: SignedInVisit, deps: PortalDeps) {
  const given = context.req.queries("row") ?? [];
  if (given.length > mostChosen) throw new Rejection("invalid", `Select at most ${mostChosen} rows at a time`);
  return Promise.all(
    rowsByImport(given).map(async ([importId, rows]) => {
      const { view } = await requireImport(person.organisationId, { kind: "activities", importId }, deps);
      return { importId, rows, reference: shownReference(view) };
    }),
  );
}

const addressOf = ({ importId, rows }: SelectedRows): string => withQuery(reversePath(importId), { rows: rangesInWords(rangesOf(rows)) });

const columns = (isCorrection: boolean): readonly Column<SelectedRows>[] => [
  { heading: "Import", names: true, cell: ({ importId, reference }) => <Link to={importPath(importId)}>{reference}</Link> },
  { heading: "Rows", number: true, value: ({ rows }) => rows.length },
  {
    heading: isCorrection ? "Corrections" : "Reversal",
    cell: (each) =>
      isCorrection ? (
        <span class="button-row">
          {each.rows.map((row) => (
            <Link to={activityPath(each.importId, row)}>Correct row {row}</Link>
          ))}
        </span>
      ) : (
        <ButtonLink to={addressOf(each)} label="Reverse rows" quiet aria-description={each.reference} />
      ),
  },
];
