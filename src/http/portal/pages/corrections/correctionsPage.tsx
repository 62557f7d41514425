// The page of rejected rows, with the choice of rows: of shipments or activities, in which state, of which import, rejected for which reason.
import type { Child } from "hono/jsx";
import { groupedBy } from "../../../../domain/groupedBy.js";
import { Rejection } from "../../../../domain/rejection.js";
import { importKinds } from "../../../../events/importEvents.js";
import type { RowFilter } from "../../../../queries/rejectedRows/correctionRows.js";
import type { OpenRowCount } from "../../../../queries/rejectedRows/openRows.js";
import { type GroupState, groupStates, type RejectionGroup, rejectionGroups } from "../../../../queries/rejectedRows/rejectionGroups.js";
import { defineForm, definePage, type PortalDeps, type SignedInVisit, withNotice } from "../../pageDefinition.js";
import { type Chip, Chips } from "../../shell/chips.js";
import { clipped, countInWords } from "../../shell/formats.js";
import { Amount, EmptyState, Link } from "../../shell/parts.js";
import { presentCatalogue } from "../customers.js";
import { importPath, kindNames, shownReference } from "../imports/importStatus.js";
import { changeRows, knownCustomers } from "./correctionAnswers.js";
import { GridFrame, gridColumns } from "./gridFrame.js";
import { correctionsPath, correctionsPathOf, filterIn, hasRows, rowCounts, rowsByImport, shownRows } from "./shownRows.js";
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
            <GridFrame visit={visit} filter={filter} columns={gridColumns(kind, catalogue)} rows={rows} />
          </>
        ) : (
          <EmptyState title={stateWords[state].none}>
            {state === "open" ? "Rows that an import rejects appear here once it has completed." : undefined}
          </EmptyState>
        )}
      </>
    ),
  };
});

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

type RowGroup = ReturnType<typeof grouped>[number];

/** Groups of a reason and an import that are read for one page. */
const mostGroups = 1_000;
const mostImports = 100;

/**
 * `reasons`: of the import that the filter names, or of all, the most frequent first. `imports`: those that have such rows, the latest first.
 * `more`: there are more groups than were read, so that the counts are too low.
 */
async function readGroups(visit: SignedInVisit, { kind, state, importId }: RowFilter, { pool }: PortalDeps) {
  const read = (only: string | undefined) =>
    rejectionGroups(visit.person.organisationId, { kind, state, importId: only }, mostGroups, pool);
  const [all, own] = await Promise.all([read(undefined), importId === undefined ? undefined : read(importId)]);
  const { groups, more } = own ?? all;
  const reasons = grouped(groups, ({ reasonKey, reason }) => [reasonKey, reason]).toSorted((one, other) => other.rows - one.rows);
  const imports = grouped(all.groups, ({ importId: id, sourceDetails }) => [id, sourceDetails]);
  return { reasons, imports: imports.slice(0, mostImports), more };
}

/** In the order of their first groups. `key`: of the reason, or the id of the import. */
function grouped(groups: readonly RejectionGroup[], by: (group: RejectionGroup) => readonly [key: string, name: string]) {
  return [...groupedBy(groups, (group) => by(group)[0])].map(([key, some]) => ({
    key,
    name: by(some[0])[1],
    rows: some.reduce((sum, { rows }) => sum + rows, 0),
  }));
}

const stateWords: Readonly<Record<GroupState, { readonly name: string; readonly none: string }>> = {
  open: { name: "Open", none: "No rejected rows to correct" },
  submitted: { name: "Submitted", none: "No corrections in progress" },
  corrected: { name: "Corrected", none: "No corrected rows" },
  dismissed: { name: "Dismissed", none: "No dismissed rows" },
};

interface CountedLinkProps {
  readonly to: Partial<RowFilter>;
  readonly isCurrent: boolean;
  readonly label: Child;
  readonly count: OpenRowCount;
  readonly title?: string;
  /** What its rows have in common: the script finds it by that. */
  readonly [mark: `data-${string}`]: string;
}

/** A way to some of the rows, with their number, which the script keeps right while rows change their states. */
const CountedLink = ({ to, isCurrent, label, count: { rows, atLeast }, ...marks }: CountedLinkProps) => (
  <Link to={correctionsPathOf(to)} aria-current={isCurrent ? "true" : undefined} data-rows={String(rows)} {...marks}>
    {label} <Amount value={rows} />
    {atLeast ? "+" : ""}
  </Link>
);

interface ChoicesProps {
  readonly filter: RowFilter;
  readonly reference: string;
  readonly counts: Awaited<ReturnType<typeof rowCounts>>;
  readonly imports: readonly RowGroup[];
}

/** The script makes each group one stop of the Tab key. */
function Choices({ filter: { kind, state, importId }, reference, counts, imports }: ChoicesProps) {
  const importChip: Chip = {
    name: "import",
    label: "Import",
    kind: "choice",
    all: "All imports",
    gone: reference,
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
            label={stateWords[each].name}
            count={counts[kind][each]}
            data-state={each}
          />
        ))}
      </div>
      {imports.length === 0 && importId === undefined ? null : (
        <Chips path={correctionsPath} chips={[importChip]} kept={{ kind, state: state === "open" ? undefined : state }} all="" />
      )}
    </div>
  );
}

/** Reasons that stand side by side; the others are one step further. */
const shownReasons = 10;

/** One for each reason, the most frequent first. `more`: there are more than were read. */
function Reasons({ filter, reasons, more }: { filter: RowFilter; reasons: readonly RowGroup[]; more: boolean }) {
  const { reasonKey } = filter;
  if (reasons.length === 0) return null;
  const first = reasons.filter(({ key }, index) => index < shownReasons || key === reasonKey);
  const others = reasons.filter((reason) => !first.includes(reason));
  const chip = ({ key, name, rows }: RowGroup) => (
    <CountedLink
      to={{ ...filter, reasonKey: key || undefined }}
      isCurrent={key === (reasonKey ?? "")}
      label={<span class="chip-name">{clipped(name)}</span>}
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
