import type { Page } from "../../../../queries/page.js";
import type { RejectionGroup } from "../../../../queries/rejectedRows/rejectionGroups.js";
import { Pager } from "../../shell/list.js";
import { type Column, Table } from "../../shell/table.js";
import { Amount, Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { addressOf, type Filter } from "./filter.js";

interface GroupsProps {
  readonly visit: SignedInVisit;
  readonly filter: Filter;
  readonly groups: Page<RejectionGroup>;
}

/** How many rows there are for each reason in each import; each leads to its rows. */
export function Groups({ visit, filter, groups }: GroupsProps) {
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
    <section class="panel" aria-labelledby="groups">
      <h2 id="groups">By reason and import</h2>
      {groups.items.length === 0 ? (
        <p>There are no such rows here.</p>
      ) : (
        <Table caption="Rejected rows by reason and import" columns={columns} rows={groups.items} />
      )}
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
    </section>
  );
}

const longest = 200;
