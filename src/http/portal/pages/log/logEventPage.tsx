import { actorName } from "../../../../domain/log/sentences.js";
import { Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import { StreamDeleted } from "../../../../portErrors.js";
import { eventAt, type StoredEvent } from "../../../../ports/eventStore.js";
import { findLogEntry } from "../../../../queries/log/logEntries.js";
import type { PageDefinition, PortalDeps } from "../../pageDefinition.js";
import { Facts, Panel } from "../../shell/panel.js";
import { Time } from "../../shell/values.js";
import { RawEvent } from "../history.js";
import { EntrySentence, logPath, sentenceContextOf, whatNames } from "./logPage.js";

/** The event behind an entry, as it was recorded. */
export const logEventPage: PageDefinition = {
  path: `${logPath}/events/{entryId}`,
  access: "log",
  show: async (visit, deps) => {
    const entryId = visit.params["entryId"] ?? "";
    const entry = isUuid(entryId) ? await findLogEntry(visit.person.organisationId, entryId, deps.pool) : undefined;
    const event = entry && (await readEvent(deps, entry.stream, BigInt(entry.revision)));
    if (!event) throw new Rejection("notFound", "There is no log entry with this id");
    const spoken = await sentenceContextOf(visit, [entry], deps);
    return {
      title: "Log entry",
      crumbs: [["Log", logPath]],
      body: (
        <>
          <Panel id="entry" title="What happened">
            <p>
              <EntrySentence visit={visit} entry={entry} spoken={spoken} />
            </p>
            <Facts
              facts={[
                ["When", <Time visit={visit} at={entry.at} exact />],
                ["By", actorName(entry.by, spoken.names)],
                ["What", whatNames[entry.what]],
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
  },
};

/** Undefined where the stream was deleted a moment ago. */
async function readEvent({ eventStore }: PortalDeps, stream: string, revision: bigint): Promise<StoredEvent | undefined> {
  try {
    return await eventAt(eventStore, stream, revision);
  } catch (error) {
    if (!(error instanceof StreamDeleted)) throw error;
    return undefined;
  }
}
