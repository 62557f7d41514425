// How an open page updates itself: its script (browser/live.ts) tells the server which version the page shows. The server sends an event
// when there is a newer version, and the script fetches the parts with `data-refetch` again.
import { hashToken } from "../../../domain/members.js";
import { pageVersions } from "../../../queries/pageVersions.js";
import type { PortalDeps, SignedInVisit } from "../pageDefinition.js";
import { Link, useVisit } from "../shell/markup.js";

/** The current version of `watched` (`watchedName`). Read it before the page's other reads, so that a change in between causes an event. */
export const liveVersionOf = async (watched: string, { pool }: Pick<PortalDeps, "pool">): Promise<string> =>
  (await pageVersions([watched], pool)).get(watched) ?? "";

/**
 * The element from which the script `live.js` takes the path of the events and the page's version, and in which it tells screen readers of
 * changes (`data-says`). While work is in progress, browsers without scripts get a link that reloads the page.
 */
export function Live({ eventsPath, version, isInProgress = false }: { eventsPath: string; version: string; isInProgress?: boolean }) {
  const { links, path } = useVisit();
  return (
    <div class="live" data-live={links.to(eventsPath)} data-version={version}>
      <p class="unseen" role="status" data-live-news />
      <p class="hint" data-live-lost hidden>
        Live updates are interrupted. <Link to={path}>Reload</Link>
      </p>
      {isInProgress ? (
        <noscript>
          <p class="hint">
            <Link to={path}>Reload</Link> to see its progress.
          </p>
        </noscript>
      ) : null}
    </div>
  );
}

/** `x-accel-buffering` stops a proxy from buffering the answer until it ends. */
const eventHeaders = { "content-type": "text/event-stream", "x-accel-buffering": "no" } as const;

export function liveAnswer({ context: c, person, query }: SignedInVisit, { openPages, sessionCookie }: PortalDeps, watched: string) {
  const body = openPages.open({
    organisationId: person.organisationId,
    session: hashToken(sessionCookie.read(c) ?? ""),
    watched,
    version: query["version"] ?? "",
    clientLeft: c.req.raw.signal,
    closeConnection: () => c.env?.outgoing?.destroy(),
  });
  return new Response(body, { headers: { ...c.get("answerHeaders"), ...eventHeaders } });
}
