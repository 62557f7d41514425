// What people, keys and the command line did in the organisation, and each event behind it.
import type { LogEntry } from "../../../../domain/log/entry.js";
import { type LogNames, sentenceOf } from "../../../../domain/log/sentences.js";
import { listLog } from "../../../../queries/log/logEntries.js";
import { logNames } from "../../../../queries/log/logNames.js";
import { listWebhooks } from "../../../../queries/organisations/webhooks.js";
import { withQuery } from "../../links.js";
import type { PageOf, PortalDeps, SignedInVisit } from "../../page.js";
import { EmptyState, Pager } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import { changesPath, versionsPath } from "../catalogue/parts.js";
import { importPath } from "../imports/status.js";
import { endpointPath } from "../webhooks/parts.js";
import { choicesOf, Filters, filterOf, givenFilter, isFiltered, logPath } from "./filter.js";

const entriesPerPage = 50;

export const logEventPath = (entryId: string): string => `${logPath}/events/${entryId}`;

export const logPage: PageOf<SignedInVisit> = {
  path: logPath,
  access: "log",
  show: async (visit, deps) => {
    const filter = filterOf(visit);
    const cursor = visit.query["cursor"] || undefined;
    const { organisationId } = visit.person;
    const page = { limit: entriesPerPage, cursor, secret: deps.signingSecret };
    const { items, nextCursor } = await listLog(organisationId, filter, page, deps.pool);
    const spoken = await spokenOf(visit, items, deps);
    return {
      title: "Log",
      body: (
        <>
          <Filters visit={visit} filter={filter} choices={await choicesOf(visit, deps)} />
          <section class="panel" aria-label="Entries">
            <Table
              caption="What happened, newest first"
              columns={columns(visit, spoken)}
              rows={items}
              empty={
                <EmptyState title={isFiltered(filter) || cursor ? "No entries match this filter" : "Nothing here yet"}>
                  What people, keys and the command line do appears here.
                </EmptyState>
              }
            />
            <Pager
              of="the log"
              cursor={cursor}
              nextCursor={nextCursor}
              address={(next) => visit.links.to(logPath, { ...givenFilter(visit), cursor: next })}
            />
            <p class="hint">Sign-ins are kept for 90 days, everything else permanently.</p>
          </section>
        </>
      ),
    };
  },
};

/** What the sentences of some entries need. */
export interface Spoken {
  readonly names: LogNames;
  /** The endpoints that have a page. */
  readonly endpoints: ReadonlySet<string>;
}

export async function spokenOf(visit: SignedInVisit, entries: readonly LogEntry[], { pool }: PortalDeps): Promise<Spoken> {
  const { organisationId } = visit.person;
  const names = await logNames(organisationId, entries, pool);
  const present = entries.some(({ about }) => about.kind === "webhook") ? await listWebhooks(pool, organisationId) : [];
  return { names, endpoints: new Set(present.map(({ endpointId }) => endpointId)) };
}

const columns = (visit: SignedInVisit, spoken: Spoken): readonly Column<LogEntry>[] => [
  { heading: "When", cell: ({ at }) => <Time visit={visit} at={at} exact /> },
  { heading: "What happened", names: true, cell: (entry) => <EntrySentence visit={visit} entry={entry} spoken={spoken} /> },
  {
    heading: "Details",
    cell: ({ id, event, revision }) => (
      <a href={visit.links.to(logEventPath(id))}>
        Event<span class="unseen">{` ${event}, revision ${revision}`}</span>
      </a>
    ),
  },
];

/** With a link on the thing, where it has a page. */
export function EntrySentence({ visit, entry, spoken }: { visit: SignedInVisit; entry: LogEntry; spoken: Spoken }) {
  const { before, about, after } = sentenceOf(entry, spoken.names);
  const path = pathOf(entry, spoken);
  return (
    <span class="log-sentence">
      {before === "" ? null : `${before} `}
      {path === undefined ? about : <a href={visit.links.to(path)}>{about}</a>}
      {after}
    </span>
  );
}

function pathOf({ about: { kind, id } }: LogEntry, { names, endpoints }: Spoken): string | undefined {
  switch (kind) {
    case "key":
      return "/portal/settings/keys";
    case "member":
      return names.member.has(id) ? "/portal/settings/members" : undefined;
    case "webhook":
      return endpoints.has(id) ? endpointPath(id) : undefined;
    case "import":
      return names.import.has(id) ? importPath(id) : undefined;
    case "catalogue":
      return id === "1" ? versionsPath : withQuery(changesPath, { from: String(Number(id) - 1), to: id });
    case "columns":
      return undefined;
  }
}
