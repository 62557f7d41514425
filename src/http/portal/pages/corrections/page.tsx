import { Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import { importKinds } from "../../../../events/importEvents.js";
import type { Page } from "../../../../queries/page.js";
import type { RowCount } from "../../../../queries/rejectedRows/openRows.js";
import { groupStates, listRejectionGroups, type RejectionGroup } from "../../../../queries/rejectedRows/rejectionGroups.js";
import { done, type FormOf, type PageOf, type SignedInVisit } from "../../page.js";
import { type Column, EmptyState, Pager, Panel, Table } from "../../shell/panel.js";
import { Amount, Time } from "../../shell/values.js";
import { presentCatalogue } from "../customers.js";
import { kindNames } from "../imports/status.js";
import { dismiss, reopen } from "./answers.js";
import { addressOf, type Counts, correctionsPath, type Filter, filterIn, hasRows } from "./filter.js";
import { GridFrame } from "./gridFrame.js";
import { PlainList } from "./plainList.js";
import { gridColumns, shownRows } from "./shownRows.js";

const shownGroups = 10;
/** Without scripts there is no grid to scroll in. */
const plainRows = 50;

export const correctionsPage: PageOf<SignedInVisit> = {
  path: correctionsPath,
  access: "look",
  show: async (visit, deps) => {
    const { filter, reference, counts: countRows } = await filterIn(visit, deps);
    const { kind, state } = filter;
    const { organisationId } = visit.person;
    const page = { limit: shownGroups, cursor: visit.query["groups"] || undefined, secret: deps.signingSecret };
    const [counts, groups, { catalogue }, rows] = await Promise.all([
      countRows(),
      listRejectionGroups(organisationId, { state, kind, importId: filter.importId }, page, deps.pool),
      presentCatalogue(visit, deps),
      shownRows(visit, filter, { limit: plainRows, cursor: visit.query["cursor"] || undefined }, deps),
    ]);
    const none = !hasRows(counts[kind][state]);
    return {
      title: "Rejected rows",
      scripts: ["corrections.js"],
      body: (
        <>
          <Choices visit={visit} filter={filter} reference={reference} counts={counts} />
          {none ? (
            <EmptyState title={emptyTitles[state]}>
              {state === "open" ? "Rows that an import rejects appear here once it has completed." : undefined}
            </EmptyState>
          ) : (
            <>
              <Groups visit={visit} filter={filter} groups={groups} />
              <template id="with-scripts">
                <GridFrame visit={visit} filter={filter} columns={gridColumns(kind, catalogue)} />
              </template>
              <noscript>
                <PlainList visit={visit} filter={filter} rows={rows} />
              </noscript>
            </>
          )}
        </>
      ),
    };
  },
};

const emptyTitles: Readonly<Record<Filter["state"], string>> = {
  open: "No rejected rows are waiting",
  submitted: "No corrections are under way",
  dismissed: "No rows are dismissed",
};

const stateNames = { open: "Open", submitted: "Submitted", dismissed: "Dismissed" } as const;

interface ChoicesProps {
  readonly visit: SignedInVisit;
  readonly filter: Filter;
  readonly reference: string | undefined;
  readonly counts: Counts;
}

/** Which rows: of shipments or activities, open, submitted or dismissed. */
function Choices({ visit, filter, reference, counts }: ChoicesProps) {
  const { kind, state, importId } = filter;
  const link = (to: Partial<Filter>, label: string, { rows, atLeast }: RowCount, current: boolean) => (
    <a href={visit.links.to(addressOf({ kind, state, ...to }))} aria-current={current ? "true" : undefined}>
      {label} <Amount value={rows} />
      {atLeast ? "+" : ""}
    </a>
  );
  return (
    <div class="choices">
      {importId === undefined ? (
        <nav aria-label="Kind of rows" class="tabs">
          {importKinds.map((each) => link({ kind: each }, kindNames[each], counts[each][state], each === kind))}
        </nav>
      ) : (
        <p class="only">
          Only rows of <strong>{reference}</strong> <a href={visit.links.to(addressOf({ kind, state }))}>Show all imports</a>
        </p>
      )}
      <nav aria-label="State of rows" class="tabs">
        {groupStates.map((each) => link({ state: each, importId }, stateNames[each], counts[kind][each], each === state))}
      </nav>
    </div>
  );
}

/** How many rows there are for each reason in each import; each leads to its rows. */
function Groups({ visit, filter, groups }: { visit: SignedInVisit; filter: Filter; groups: Page<RejectionGroup> }) {
  const { kind, state, importId, reasonKey } = filter;
  const shown = (group: RejectionGroup) => group.reasonKey === reasonKey && (importId === undefined || group.importId === importId);
  const columns: readonly Column<RejectionGroup>[] = [
    {
      heading: "Reason",
      names: true,
      cell: (group) => (
        <a
          href={visit.links.to(addressOf({ kind, state, importId: group.importId, reasonKey: group.reasonKey }))}
          aria-current={shown(group) ? "true" : undefined}
        >
          {group.reason.length > longest ? `${group.reason.slice(0, longest)}...` : group.reason}
        </a>
      ),
    },
    {
      heading: "Import",
      cell: (group) => <a href={visit.links.to(addressOf({ kind, state, importId: group.importId }))}>{group.sourceDetails}</a>,
    },
    { heading: "Ended", cell: ({ finishedAt }) => <Time visit={visit} at={finishedAt} /> },
    {
      heading: "Rows",
      number: true,
      cell: ({ rows, atMost }) => (
        <span>
          {atMost ? <span class="muted">up to </span> : null}
          <Amount value={rows} />
        </span>
      ),
    },
  ];
  return (
    <Panel id="groups" title="By reason and import">
      <Table
        caption="Rejected rows by reason and import"
        columns={columns}
        rows={groups.items}
        empty={<p>There are no such rows here.</p>}
      />
      <Pager
        of="reasons"
        cursor={visit.query["groups"] || undefined}
        nextCursor={groups.nextCursor}
        address={(cursor) => visit.links.to(addressOf(filter, { groups: cursor }))}
      />
      {reasonKey === undefined ? null : (
        <p class="more">
          <a href={visit.links.to(addressOf({ kind, state, importId }))}>Show all reasons</a>
        </p>
      )}
    </Panel>
  );
}

const longest = 200;

/** `<import id>:<row>,<row>`, once for each shipment or activity that is chosen. */
function chosenRows(chosen: readonly string[]): Map<string, Set<number>> {
  const rows = new Map<string, Set<number>>();
  for (const each of chosen) {
    const [importId = "", numbers = ""] = each.split(":");
    const parsed = numbers.split(",").map((text) => (/^\d{1,10}$/.test(text) ? Number(text) : 0));
    if (!isUuid(importId) || parsed.some((row) => row < 1 || row > 2_147_483_647))
      throw new Rejection("invalid", "The form does not name rows");
    const own = rows.get(importId) ?? new Set();
    for (const row of parsed) own.add(row);
    rows.set(importId, own);
  }
  if (rows.size === 0) throw new Rejection("invalid", "Select at least one row");
  return rows;
}

const stateForm = (what: string, change: typeof dismiss, outcome: string): FormOf<SignedInVisit> => ({
  path: `${correctionsPath}/${what}`,
  access: "operate",
  page: correctionsPage,
  submit: async (visit, fields, deps) => {
    let count = 0;
    for (const [importId, rows] of chosenRows(fields.all("rows"))) {
      await change(visit, deps, { importId, rows: [...rows], note: fields.get("note") });
      count += rows.size;
    }
    const back = fields.get("back");
    const goTo = back.startsWith(`${correctionsPath}?`) ? back : correctionsPath;
    return done(goTo, `${count === 1 ? "1 row is" : `${count} rows are`} ${outcome}.`);
  },
});

export const correctionForms = [stateForm("dismiss", dismiss, "dismissed"), stateForm("reopen", reopen, "open again")];
