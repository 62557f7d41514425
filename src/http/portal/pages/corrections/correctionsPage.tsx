// The page of rejected rows, filtered by kind, state, import and reason for rejection.
import type { Child } from "hono/jsx";
import { groupedBy } from "../../../../domain/groupedBy.js";
import { Rejection } from "../../../../domain/rejection.js";
import { importKinds } from "../../../../events/importEvents.js";
import type { RowFilter } from "../../../../queries/rejectedRows/correctionRows.js";
import type { OpenRowCount } from "../../../../queries/rejectedRows/openRows.js";
import { type GroupState, groupRejections, groupStates, type RejectionGroup } from "../../../../queries/rejectedRows/rejectionGroups.js";
import { defineForm, definePage, type PortalDeps, type SignedInVisit, withNotice } from "../../pageDefinition.js";
import { type Chip, Chips } from "../../shell/chips.js";
import { clipText, countInWords } from "../../shell/formats.js";
import { Amount, EmptyState, Link } from "../../shell/markup.js";
import { currentCatalogue } from "../customers.js";
import { importPath, kindNames, shownReference } from "../imports/importStatus.js";
import { changeRowStates, customerCodes } from "./correctionAnswers.js";
import { GridFrame, gridColumns } from "./gridFrame.js";
import { correctionsPath, correctionsPathOf, hasRows, readShownRows, requireRowFilter, rowCounts, rowsByImport } from "./shownRows.js";
import { CatalogueFollowUp } from "./unknownCustomers.js";

/** How many rows the page has when it loads: more than fit on a screen. The script fetches the rest. */
const firstPageRows = 50;

export const correctionsPage = definePage(correctionsPath, "look", async (visit, deps) => {
  const { filter, reference = "" } = await requireRowFilter(visit, deps);
  const { kind, state, importId } = filter;
  const [counts, { reasons, imports, more }, { catalogue }, rows] = await Promise.all([
    rowCounts(visit, deps),
    readGroups(visit, filter, deps),
    currentCatalogue(visit, deps),
    readShownRows(visit, filter, { limit: firstPageRows, cursor: visit.query["cursor"] || undefined }, deps),
  ]);
  return {
    title: "Rejected rows",
    ...(importId === undefined ? {} : { crumbs: [[shownReference({ reference }), importPath(importId)] as const] }),
    scripts: ["corrections.js"],
    body: (
      <>
        <RowChoices filter={filter} reference={reference} counts={counts} imports={imports} />
        {hasRows(counts[kind][state]) ? (
          <>
            <Reasons filter={filter} reasons={reasons} more={more} />
            {state === "open" ? <CatalogueFollowUp rows={rows.items} customers={customerCodes(catalogue)} /> : null}
            <GridFrame visit={visit} filter={filter} columns={gridColumns(kind, catalogue)} rows={rows} />
          </>
        ) : (
          <EmptyState title={stateTexts[state].emptyTitle}>
            {state === "open" ? "Rows that an import rejects appear here once it has completed." : undefined}
          </EmptyState>
        )}
      </>
    ),
  };
});

const stateForm = (action: "dismiss" | "reopen", outcome: string) =>
  defineForm(correctionsPage, { subPath: `/${action}`, access: "operate" }, async (visit, fields, deps) => {
    const selection = rowsByImport(fields.all("rows"));
    if (selection.length === 0) throw new Rejection("invalid", "Select at least one row");
    for (const [importId, rows] of selection) await changeRowStates(action, visit, deps, { importId, rows, note: fields.get("note") });
    const count = selection.flatMap(([, rows]) => rows).length;
    const back = fields.get("back");
    return withNotice(back.startsWith(`${correctionsPath}?`) ? back : correctionsPath, `${countInWords(count, "row")} ${outcome}.`);
  });

export const correctionForms = [stateForm("dismiss", "dismissed"), stateForm("reopen", "reopened")];

type RowGroup = ReturnType<typeof sumByKey>[number];

/** The most groups that are read for one page. Rows with the same reason and import form a group. */
const maxGroups = 1_000;
const maxListedImports = 100;

/**
 * `reasons` are those of the filter's import, or of all imports, most frequent first. `imports` are those with rows of the filter's kind
 * and state, the latest first. `more` is true if there are more groups than were read, so that the counts are too low.
 */
async function readGroups(visit: SignedInVisit, { kind, state, importId }: RowFilter, { pool }: PortalDeps) {
  const groupsOf = (importOrAll: string | undefined) =>
    groupRejections(visit.person.organisationId, { kind, state, importId: importOrAll }, maxGroups, pool);
  const [allGroups, groupsOfImport] = await Promise.all([groupsOf(undefined), importId === undefined ? undefined : groupsOf(importId)]);
  const { groups, more } = groupsOfImport ?? allGroups;
  const reasons = sumByKey(groups, ({ reasonKey, reason }) => [reasonKey, reason]).toSorted((one, other) => other.rows - one.rows);
  const imports = sumByKey(allGroups.groups, ({ importId: id, sourceDetails }) => [id, sourceDetails]);
  return { reasons, imports: imports.slice(0, maxListedImports), more };
}

/** Adds up the groups with the same key, in the order of their first groups. `key` is a reason's key or an import's id. */
function sumByKey(groups: readonly RejectionGroup[], keyAndName: (group: RejectionGroup) => readonly [key: string, name: string]) {
  return [...groupedBy(groups, (group) => keyAndName(group)[0])].map(([key, sameKey]) => ({
    key,
    name: keyAndName(sameKey[0])[1],
    rows: sameKey.reduce((sum, { rows }) => sum + rows, 0),
  }));
}

const stateTexts: Readonly<Record<GroupState, { readonly name: string; readonly emptyTitle: string }>> = {
  open: { name: "Open", emptyTitle: "No rejected rows to correct" },
  submitted: { name: "Submitted", emptyTitle: "No corrections in progress" },
  corrected: { name: "Corrected", emptyTitle: "No corrected rows" },
  dismissed: { name: "Dismissed", emptyTitle: "No dismissed rows" },
};

interface CountedLinkProps {
  readonly to: Partial<RowFilter>;
  readonly isCurrent: boolean;
  readonly label: Child;
  readonly count: OpenRowCount;
  readonly title?: string;
  /** A data attribute that tells the script which rows the link counts. */
  readonly [mark: `data-${string}`]: string;
}

/** A link to some of the rows, with their number, which the script updates as rows change their states. */
const CountedLink = ({ to, isCurrent, label, count: { rows, atLeast }, ...marks }: CountedLinkProps) => (
  <Link to={correctionsPathOf(to)} aria-current={isCurrent ? "true" : undefined} data-rows={String(rows)} {...marks}>
    {label} <Amount value={rows} />
    {atLeast ? "+" : ""}
  </Link>
);

interface RowChoicesProps {
  readonly filter: RowFilter;
  readonly reference: string;
  readonly counts: Awaited<ReturnType<typeof rowCounts>>;
  readonly imports: readonly RowGroup[];
}

/** Chooses the rows' kind, state and import. A script makes each toolbar one stop of the Tab key. */
function RowChoices({ filter: { kind, state, importId }, reference, counts, imports }: RowChoicesProps) {
  const importChip: Chip = {
    name: "import",
    label: "Import",
    kind: "choice",
    all: "All imports",
    unlistedLabel: reference,
    options: imports.map(({ key, name, rows }) => ({ value: key, label: `${name} (${countInWords(rows, "row")})` })),
  };
  return (
    <div class="row-choices">
      {importId === undefined ? (
        <div role="toolbar" aria-label="Kind of rows" class="segments" data-rove>
          {importKinds.map((each) => (
            <CountedLink
              to={{ kind: each, state }}
              isCurrent={each === kind}
              label={kindNames[each]}
              count={counts[each][state]}
              data-kind={each}
            />
          ))}
        </div>
      ) : null}
      <div role="toolbar" aria-label="State of rows" class="segments" data-rove>
        {groupStates.map((each) => (
          <CountedLink
            to={{ kind, state: each, importId }}
            isCurrent={each === state}
            label={stateTexts[each].name}
            count={counts[kind][each]}
            data-state={each}
          />
        ))}
      </div>
      {imports.length === 0 && importId === undefined ? null : (
        <Chips path={correctionsPath} chips={[importChip]} keptQuery={{ kind, state: state === "open" ? undefined : state }} all="" />
      )}
    </div>
  );
}

/** The number of reasons that are always visible. The others can be unfolded. */
const maxShownReasons = 10;

/** A link for each reason, the most frequent first. `more` is true if the counts are too low. */
function Reasons({ filter, reasons, more }: { filter: RowFilter; reasons: readonly RowGroup[]; more: boolean }) {
  const { reasonKey } = filter;
  if (reasons.length === 0) return null;
  const first = reasons.filter(({ key }, index) => index < maxShownReasons || key === reasonKey);
  const others = reasons.filter((reason) => !first.includes(reason));
  const chip = ({ key, name, rows }: RowGroup) => (
    <CountedLink
      to={{ ...filter, reasonKey: key || undefined }}
      isCurrent={key === (reasonKey ?? "")}
      label={<span class="chip-name">{clipText(name)}</span>}
      count={{ rows, atLeast: more }}
      title={name}
      data-reason={key}
    />
  );
  return (
    <div role="toolbar" aria-label="Reasons" class="chips" data-rove data-reasons>
      {chip({ key: "", name: "All reasons", rows: reasons.reduce((sum, { rows }) => sum + rows, 0) })}
      {first.map(chip)}
      {others.length === 0 ? null : (
        <details>
          <summary>{countInWords(others.length, "more reason")}</summary>
          <div class="chips">{others.map(chip)}</div>
        </details>
      )}
    </div>
  );
}
