// The log of what people, keys and the command line did in the organisation, and a page for the event behind each entry.
import { recordedChangeInWords } from "../../../domain/catalogue/fields.js";
import { type LogEntry, type LogTopic, logTopics } from "../../../domain/log/entry.js";
import { actorName, sentenceOf, sentenceText } from "../../../domain/log/sentences.js";
import { Rejection } from "../../../domain/rejection.js";
import { isUuid } from "../../../domain/uuid.js";
import { StreamDeleted } from "../../../portErrors.js";
import { eventAt } from "../../../ports/eventStore.js";
import { findLogEntry, type LogFilter, listLog } from "../../../queries/log/logEntries.js";
import { logNames } from "../../../queries/log/logNames.js";
import { listKeys } from "../../../queries/organisations/keys.js";
import { listMembers } from "../../../queries/organisations/organisations.js";
import { listWebhooks } from "../../../queries/organisations/webhooks.js";
import { definePage, type PortalDeps, type SignedInVisit, type Subject } from "../pageDefinition.js";
import { type Chip, optionsOf } from "../shell/chips.js";
import { listPage } from "../shell/listPage.js";
import { EmptyState, Facts, Link, Panel, Time, withQuery } from "../shell/markup.js";
import { type Column, column, downloadColumns } from "../shell/table.js";
import { changesPath, versionsPath } from "./catalogue/cataloguePaths.js";
import { dayChips, daysFromQuery } from "./days.js";
import { RawEvent } from "./history.js";
import { importPath } from "./imports/importStatus.js";
import { endpointPath } from "./webhooks/webhooksPage.js";

const logPath = "/portal/settings/log";

const topicNames: Readonly<Record<LogTopic, string>> = {
  keys: "API keys",
  members: "Members",
  "sign-ins": "Sign-ins",
  webhooks: "Webhooks",
  catalogue: "Catalogue",
  imports: "Imports",
  corrections: "Corrections",
  reversals: "Reversals",
};

const list = listPage<LogEntry>({
  path: logPath,
  access: "log",
  title: "Log",
  noun: ["entry", "entries"],
  fileName: "log",
  caption: "What happened, newest first",
  filters: logChips,
  readRows: async (visit, page, { pool }) => listLog(visit.person.organisationId, logFilterOf(visit), page, pool),
  columns: async (visit, deps, entries) => columns(await sentenceContextOf(visit, entries, deps)),
  empty: (_, why) => (
    <EmptyState title={why === "none" ? "Nothing here yet" : "No entries match this filter"}>
      What people, keys and the command line do appears here.
    </EmptyState>
  ),
  belowTable: () => <p class="hint">Sign-ins are kept for 90 days, everything else permanently.</p>,
});

/** Reads the filter from the address. Throws a Rejection if it is invalid. */
function logFilterOf(visit: SignedInVisit): LogFilter {
  const { by, what } = visit.query;
  if (by && !/^[\w-]{1,64}$/.test(by)) throw new Rejection("invalid", "Choose a person or a key from the list");
  return { by: by || undefined, what: logTopics.find((each) => each === what), ...daysFromQuery(visit) };
}

async function logChips({ person: { organisationId } }: SignedInVisit, { pool }: PortalDeps): Promise<readonly Chip[]> {
  const [members, keys] = await Promise.all([listMembers(organisationId, pool), listKeys(organisationId, pool)]);
  const people = [
    ...members.map(({ memberId, name, email }) => ({ value: memberId, label: name ? `${name} (${email})` : email })),
    ...keys.map(({ keyId, name, prefix }) => ({ value: keyId, label: `Key ${name} (${prefix})` })),
    { value: "cli", label: "The command line" },
  ];
  const options = people.filter(({ value }, index) => people.findIndex((each) => each.value === value) === index);
  return [
    { name: "by", label: "Person or key", kind: "choice", all: "Everyone", options, unlistedLabel: "A removed member" },
    { name: "what", label: "What", kind: "choice", all: "Everything", options: optionsOf(topicNames) },
    ...dayChips(),
  ];
}

/** What the sentences of these entries need: names, and the ids of the webhooks that still have a page. */
async function sentenceContextOf(visit: SignedInVisit, entries: readonly LogEntry[], { pool }: PortalDeps) {
  const { organisationId } = visit.person;
  const names = await logNames(organisationId, entries, pool);
  const currentWebhooks = entries.some(({ about }) => about.kind === "webhook") ? await listWebhooks(organisationId, pool) : [];
  return { names, endpoints: new Set(currentWebhooks.map(({ endpointId }) => endpointId)) };
}

type SentenceContext = Awaited<ReturnType<typeof sentenceContextOf>>;

const columns = (context: SentenceContext): readonly Column<LogEntry>[] => [
  column("at", "When", ({ at }) => at, { cell: ({ at }) => <Time at={at} exact /> }),
  column("by", "By", ({ by }) => actorName(by, context.names), { onlyInFiles: true }),
  column("what", "What", ({ what }) => topicNames[what], { onlyInFiles: true }),
  column("text", "What happened", (entry) => sentenceText(sentenceOf(entry, context.names)), {
    isRowHeader: true,
    cell: (entry) => <EntrySentence entry={entry} context={context} />,
  }),
  {
    heading: "Details",
    cell: ({ id, event, revision }) => (
      <Link to={`${logPath}/events/${id}`}>
        Event<span class="unseen">{` ${event}, revision ${revision}`}</span>
      </Link>
    ),
  },
  ...recordedColumns,
];

/** More columns that only files have: ids, and where the event is. */
const recordedColumns = downloadColumns<LogEntry>([
  ["byKind", "By kind", ({ by }) => by.kind],
  ["byId", "By id", ({ by }) => by.id],
  ["aboutKind", "About kind", ({ about }) => about.kind],
  ["aboutId", "About id", ({ about }) => about.id],
  ["event", "Event", ({ event }) => event],
  ["stream", "Stream", ({ stream }) => stream],
  ["revision", "Revision", ({ revision }) => revision],
  ["id", "Entry id", ({ id }) => id],
]);

/** An entry's sentence. What the entry is about is a link, if it has a page. */
function EntrySentence({ entry, context }: { entry: LogEntry; context: SentenceContext }) {
  const { before, about, after } = sentenceOf(entry, context.names);
  const path = pathOf(entry, context);
  return (
    <span class="log-sentence">
      {before === "" ? null : `${before} `}
      {path === undefined ? about : <Link to={path}>{about}</Link>}
      {entry.about.kind === "catalogue" ? recordedChangeInWords(after) : after}
    </span>
  );
}

function pathOf({ about: { kind, id } }: LogEntry, { names, endpoints }: SentenceContext): string | undefined {
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

/** The event behind an entry, as it was recorded. */
const eventPage = definePage(`${logPath}/events/{entryId}`, "log", async (visit, deps) => {
  const entryId = visit.params["entryId"] ?? "";
  const entry = isUuid(entryId) ? await findLogEntry(visit.person.organisationId, entryId, deps.pool) : undefined;
  const event =
    entry &&
    (await eventAt(deps.eventStore, entry.stream, BigInt(entry.revision)).catch((error: unknown) => {
      if (error instanceof StreamDeleted) return undefined; // answered as an entry that does not exist
      throw error;
    }));
  if (!event) throw new Rejection("notFound", "There is no log entry with this id");
  const context = await sentenceContextOf(visit, [entry], deps);
  return {
    title: "Log entry",
    crumbs: [["Log", logPath]],
    body: (
      <>
        <Panel id="entry" title="What happened">
          <p>
            <EntrySentence entry={entry} context={context} />
          </p>
          <Facts
            facts={[
              ["When", <Time at={entry.at} exact />],
              ["By", actorName(entry.by, context.names)],
              ["What", topicNames[entry.what]],
              ["Event", entry.event],
              ["Stream", <code>{entry.stream}</code>],
              ["Revision", entry.revision],
            ]}
          />
        </Panel>
        <Panel id="recorded" title="As recorded">
          <p class="hint">Hashes of passwords, links and keys are not shown.</p>
          <RawEvent event={event} />
        </Panel>
      </>
    ),
  };
});

export const log: Subject = { ...list, pages: [list.page, eventPage] };
