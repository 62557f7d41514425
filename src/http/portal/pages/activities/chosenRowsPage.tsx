import { parseNumbers, rangesInWords, rangesOf } from "../../../../domain/ranges.js";
import { Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import { requireImport } from "../../../../queries/imports/importStatus.js";
import { withQuery } from "../../links.js";
import { definePage, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { countInWords } from "../../shell/formats.js";
import { ButtonLink, Link } from "../../shell/link.js";
import { Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import { importPath, reversePath, shownReference } from "../imports/importStatus.js";
import { activitiesPath, activityPath } from "./selection.js";

/** Takes the rows that were chosen to be reversed or corrected. */
export const chosenPath = `${activitiesPath}/reverse`;

/** Leads to the reversal or the correction of the chosen rows. A reversal is of one import, and rows are corrected one by one: more are listed. */
export const chosenRowsPage = definePage(chosenPath, "operate", async (visit, deps) => {
  const chosen = chosenIn(visit);
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
        <Table
          caption="Selected rows by import"
          columns={columns(isCorrection)}
          rows={await withReferences(visit, chosen, deps)}
          empty={empty}
        />
      </Panel>
    ),
  };
});

interface SelectedRows {
  readonly importId: string;
  readonly rows: readonly number[];
}

const mostChosen = 200;

/** `row=<import id>:<row>`, once for each. */
function chosenIn({ context }: SignedInVisit): SelectedRows[] {
  const given = context.req.queries("row") ?? [];
  if (given.length > mostChosen) throw new Rejection("invalid", `Select at most ${mostChosen} rows at a time`);
  const chosen = new Map<string, number[]>();
  for (const each of given) {
    const [importId = "", row = ""] = each.split(":");
    if (!isUuid(importId)) throw new Rejection("invalid", "This link is not complete. Go back and select the rows again");
    chosen.set(importId, [...(chosen.get(importId) ?? []), ...parseNumbers(row, 1)]);
  }
  return [...chosen].map(([importId, rows]) => ({ importId, rows }));
}

const addressOf = ({ importId, rows }: SelectedRows): string => withQuery(reversePath(importId), { rows: rangesInWords(rangesOf(rows)) });

function withReferences(
  { person }: SignedInVisit,
  chosen: readonly SelectedRows[],
  deps: PortalDeps,
): Promise<(SelectedRows & { reference: string })[]> {
  return Promise.all(
    chosen.map(async (each) => {
      const { view } = await requireImport(person.organisationId, { kind: "activities", importId: each.importId }, deps);
      return { ...each, reference: shownReference(view) };
    }),
  );
}

const columns = (isCorrection: boolean): readonly Column<SelectedRows & { reference: string }>[] => [
  { heading: "Import", names: true, cell: ({ importId, reference }) => <Link to={importPath(importId)}>{reference}</Link> },
  { heading: "Rows", number: true, cell: ({ rows }) => <Amount value={rows.length} /> },
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
