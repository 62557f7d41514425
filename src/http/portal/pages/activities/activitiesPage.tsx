import type { Child } from "hono/jsx";
import { Rejection } from "../../../../domain/rejection.js";
import { type ActivityChoices, activityChoices, maxChoices } from "../../../../queries/activities/activityCodes.js";
import { readActivityTotals } from "../../../../queries/activities/activityTotals.js";
import { totalChanges } from "../../../../queries/activities/totalChanges.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { definePage, type MenuItem, type PageContent, type PortalDeps, type SignedInVisit, type Subject } from "../../pageDefinition.js";
import { type Chip, Chips } from "../../shell/chips.js";
import { Button, type Option } from "../../shell/form.js";
import { Link, Time, withQuery } from "../../shell/markup.js";
import { addMonths } from "../days.js";
import { importPath, importsPath, shownReference } from "../imports/importStatus.js";
import { activityDownloads } from "./activityDownloads.js";
import { activityPage, correctForm, selectedRowsPage } from "./activityPage.js";
import { rowsPart } from "./activityRows.js";
import { Totals } from "./bills.js";
import * as selection from "./selection.js";
import { ChangesTable } from "./totalChanges.js";

const { activitiesPathOf, activitiesPath } = selection;
type View = selection.ActivitiesView;

const activitiesPage = definePage(activitiesPath, "look", (visit, deps) =>
  pageContent(visit, deps).catch(async (error: unknown) => {
    if (!(error instanceof Rejection) || error.code !== "invalid") throw error;
    // The filter is invalid: show this month's totals, with the reason above them.
    const content = await pageContent({ ...visit, query: {} }, deps);
    return { ...content, status: 400, notice: { kind: "error", lines: error.details ?? [error.message] } };
  }),
);

const pages = [activitiesPage, selectedRowsPage, activityPage];
export const activities: Subject = { pages, forms: [correctForm], answers: activityDownloads };

async function pageContent(visit: SignedInVisit, deps: PortalDeps): Promise<PageContent> {
  const view = await selection.activitiesView(visit, deps);
  const { shownImport, perCustomer, asOf, since } = view;
  const time = asOf ?? since;
  const [choices, content] = await Promise.all([activityChoices(visit.person.organisationId, deps.pool), panelContent(view, deps)]);
  return {
    title: "Activities",
    ...(shownImport
      ? { crumbs: [["Imports", importsPath] as const, [shownReference(shownImport), importPath(shownImport.importId)] as const] }
      : { views: viewsOf(view) }),
    action: content.isEmpty ? null : <Button type="button" data-print label="Print" class="quiet" />,
    menu: menuOf(view, content.isEmpty),
    body: (
      <>
        <Filters view={view} choices={choices} />
        <section class={perCustomer ? "panel per-customer" : "panel"} aria-labelledby="period">
          <div class="print-only printed">
            {selection.printedLines(view).map((line) => (
              <p>{line}</p>
            ))}
          </div>
          <div class="bill-head">
            <h2 id="period">{selection.daysInWords(view)}</h2>
            {shownImport ? <Link to={activitiesPathOf(view, { import: "" })}>Show all imports</Link> : null}
          </div>
          {time ? (
            <p class="notice warn">
              <strong>
                {asOf ? "As known on" : "Changes since"} <Time at={time} exact /> ({visit.person.timezone}).
              </strong>{" "}
              {asOf ? "Later imports and reversals are not included." : "Together they are the difference between the totals then and now."}
            </p>
          ) : null}
          {shownImport ? <p class="hint">Activities that are not billed are not in the downloads.</p> : null}
          {content.body}
        </section>
      </>
    ),
  };
}

async function panelContent(view: View, deps: PortalDeps): Promise<{ readonly body: Child; readonly isEmpty: boolean }> {
  const { visit, filter, asOf, since, tableName } = view;
  const { pool } = deps;
  const { organisationId } = visit.person;
  if (tableName === "rows") return rowsPart(view, deps);
  if (since) {
    const [changes, actorOf] = await Promise.all([totalChanges(organisationId, filter, since, pool), principalNames(organisationId, pool)]);
    return { body: <ChangesTable view={view} changes={changes} actorOf={actorOf} />, isEmpty: changes.length === 0 };
  }
  const totals = await readActivityTotals(organisationId, { ...filter, asOf }, pool);
  return { body: <Totals view={view} totals={totals} />, isEmpty: totals.length === 0 };
}

function viewsOf(view: View) {
  const { tableName, byWarehouse, since } = view;
  const views = [
    { label: "By charge code", changes: { view: "", by: "", since: "" }, current: tableName === "totals" && !byWarehouse },
    { label: "By warehouse", changes: { view: "", by: "warehouse", since: "" }, current: tableName === "totals" && byWarehouse },
    { label: "Rows", changes: { since: "", view: "rows", pages: "" }, current: tableName === "rows" },
    ...(since ? [{ label: "Changes", changes: {}, current: true }] : []),
  ];
  return views.map(({ label, changes, current }) => ({ label, current, to: activitiesPathOf(view, changes) }));
}

/** Downloads of the shown table; with totals also of all rows, and with rows of the totals. As of an earlier time there are only totals. */
function menuOf(view: View, isEmpty: boolean): MenuItem[] {
  const { tableName, asOf, shownImport, perCustomer } = view;
  const shownTable = asOf ? "totals" : tableName;
  const [otherTable, otherLabel] = shownTable === "rows" ? ["totals", "Totals"] : ["rows", "All rows"];
  const link = (label: string, file: string): MenuItem => ({
    label,
    download: "",
    to: withQuery(`${activitiesPath}/${file}`, selection.queryOf(view, { view: "", pages: "" })),
  });
  const shownDownloads = ["csv", "xlsx"].map((format) => link(`Download ${format.toUpperCase()}`, `${shownTable}.${format}`));
  const otherDownloads = ["csv", "xlsx"].map((format) => link(`${otherLabel} as ${format.toUpperCase()}`, `${otherTable}.${format}`));
  const layout = {
    label: perCustomer ? "All customers in one table" : "One customer per page",
    to: activitiesPathOf(view, { pages: perCustomer ? "" : "customer" }),
  };
  return [
    ...(isEmpty ? [] : shownDownloads),
    ...(isEmpty || shownTable === "changes" || asOf || shownImport ? [] : otherDownloads),
    ...(tableName === "totals" ? [layout] : []),
  ];
}

/** The month and the times `asOf` and `since` share one control. Days, customer and codes have their own. */
function Filters({ view, choices }: { view: View; choices: ActivityChoices }) {
  const { visit, period, shownImport, tableName } = view;
  const { customer = "", warehouse = "", charge = "" } = visit.query;
  const [asOf, since] = [selection.wallTime(view.asOf, visit), selection.wallTime(view.since, visit)];
  const dayRange = period?.month === undefined ? period : undefined;
  const shownMonth = period?.month ?? period?.firstDay.slice(0, 7) ?? "";
  const monthPath = (months: number) => activitiesPathOf(view, { from: "", to: "", month: addMonths(shownMonth, months) });
  const chips: readonly (Chip | false | undefined)[] = [
    shownImport && { name: "unusual", label: "Unusual", kind: "checkBox" },
    period && {
      name: "month",
      label: "Month",
      kind: "month",
      group: "when",
      required: true,
      value: period.month ?? "",
      clears: ["from", "to"],
      suffix: (
        <span class="months">
          <Link to={monthPath(-1)} aria-label="Previous month">
            &lsaquo;
          </Link>
          <Link to={monthPath(1)} aria-label="Next month">
            &rsaquo;
          </Link>
        </span>
      ),
    },
    !shownImport && { name: "asOf", label: "As of", kind: "time", group: "when", value: asOf, clears: ["since"] },
    tableName !== "rows" && { name: "since", label: "Changes since", kind: "time", group: "when", value: since, clears: ["asOf"] },
    codeChip("customer", "Customer", customerOptions(choices, view), customer),
    codeChip("warehouse", "Warehouse", codeOptions(choices.warehouseCodes), warehouse),
    codeChip("charge", "Charge code", codeOptions(choices.chargeCodes), charge),
    { name: "from", label: "From", kind: "day", value: dayRange?.firstDay ?? "", clears: ["month"] },
    { name: "to", label: "To", kind: "day", value: dayRange?.lastDay ?? "", clears: ["month"] },
  ];
  const { view: shownView, by, pages, import: importId } = selection.queryOf(view);
  const keptQuery = { view: shownView, by, pages, import: importId };
  const shownChips = chips.filter((chip) => chip !== false && chip !== undefined);
  return <Chips query={visit.query} path={activitiesPath} chips={shownChips} keptQuery={keptQuery} />;
}

const codeOptions = (values: readonly string[]): Option[] => values.map((value) => ({ value, label: value }));

function customerOptions({ customerIds, withoutCustomer }: ActivityChoices, { nameOf }: View): Option[] {
  const named = customerIds.map((id) => ({ value: id, label: nameOf(id) === undefined ? id : `${nameOf(id)} (${id})` }));
  return [...named, ...(withoutCustomer ? [{ value: selection.noCustomer, label: "Without a customer" }] : [])];
}

/** A list to choose from, or a text field if the list would be too long. */
const codeChip = (name: string, label: string, options: readonly Option[], value: string): Chip =>
  options.length > maxChoices
    ? { name, label, kind: "text", maxlength: 200, value }
    : { name, label, kind: "choice", all: "All", options, value };
