import type { RowCount } from "../../../../queries/rejectedRows/openRows.js";
import { listRejectionGroups } from "../../../../queries/rejectedRows/rejectionGroups.js";
import type { PageOf } from "../../page.js";
import { EmptyState } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { type Asked, addressOf, askedFor, type Counts, correctionsPath, type Filter, hasRows } from "./filter.js";
import { GridFrame } from "./gridFrame.js";
import { Groups } from "./groups.js";
import { PlainList } from "./plainList.js";
import { gridColumns, shownRows, todaysCatalogue } from "./shownRows.js";

const shownGroups = 10;
/** Without scripts there is no grid to scroll in. */
const plainRows = 50;

export const correctionsPage: PageOf<SignedInVisit> = {
  path: correctionsPath,
  access: "look",
  show: async (visit, deps) => {
    const asked = await askedFor(visit, deps);
    const { filter } = asked;
    const { kind, state } = filter;
    const { organisationId } = visit.person;
    const page = { limit: shownGroups, cursor: visit.query["groups"] || undefined, secret: deps.signingSecret };
    const [counts, groups, catalogue, rows] = await Promise.all([
      asked.counts(),
      listRejectionGroups(organisationId, { state, kind, importId: filter.importId }, page, deps.pool),
      todaysCatalogue(visit, deps),
      shownRows(visit, filter, { limit: plainRows, cursor: visit.query["cursor"] || undefined }, deps),
    ]);
    const none = !hasRows(counts[kind][state]);
    return {
      title: "Rejected rows",
      scripts: ["corrections.js"],
      body: (
        <>
          <Choices visit={visit} asked={asked} counts={counts} />
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

const kindNames = { shipments: "Shipments", activities: "Activities" } as const;
const stateNames = { open: "Open", submitted: "Submitted", dismissed: "Dismissed" } as const;

interface ChoicesProps {
  readonly visit: SignedInVisit;
  readonly asked: Asked;
  readonly counts: Counts;
}

/** Which rows: of shipments or activities, open, submitted or dismissed. */
function Choices({ visit, asked: { filter, reference }, counts }: ChoicesProps) {
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
          {(["shipments", "activities"] as const).map((each) => link({ kind: each }, kindNames[each], counts[each][state], each === kind))}
        </nav>
      ) : (
        <p class="only">
          Only rows of <strong>{reference}</strong> <a href={visit.links.to(addressOf({ kind, state }))}>Show all imports</a>
        </p>
      )}
      <nav aria-label="State of rows" class="tabs">
        {(["open", "submitted", "dismissed"] as const).map((each) =>
          link({ state: each, importId }, stateNames[each], counts[kind][each], each === state),
        )}
      </nav>
    </div>
  );
}
