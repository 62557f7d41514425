// How a page changes by itself: it tells the server which version it shows, is told when it is behind, and fetches its parts with `data-refetch`
// again (browser/live.ts).
import { hashToken } from "../../../domain/members.js";
import { pageVersions } from "../../../queries/pageVersions.js";
import type { PortalDeps, SignedInVisit } from "../pageDefinition.js";
import { Link, useVisit } from "../shell/parts.js";

/** Read before what the page shows: a change in between is told again. */
export const versionOf = async (watched: string, { pool }: Pick<PortalDeps, "pool">): Promise<string> =>
  (await pageVersions([watched], pool)).get(watched) ?? "";

/**
 * For the script `live.js`, with the address of the events. A screen reader says how the status of elements with `data-says` changes. While
 * something changes (`isMoving`) a browser without scripts gets a link that reloads the page.
 */
export function Live({ from, version, isMoving = false }: { from: string; version: string; isMoving?: boolean }) {
  const { links, path } = useVisit();
  return (
    <div class="live" data-live={links.to(from)} data-version={version}>
      <p class="unseen" role="status" data-live-news />
      <p class="hint" data-live-lost hidden>
        Live updates are interrupted. <Link to={path}>Reload</Link>
      </p>
      {isMoving ? (
        <noscript>
          <p class="hint">
            <Link to={path}>Reload</Link> to see its progress.
          </p>
        </noscript>
      ) : null}
    </div>
  );
}

/** `x-accel-buffering` keeps a proxy from holding the answer back until it ends. */
const eventHeaders = { "content-type": "text/event-stream", "x-accel-buffering": "no" } as const;

/** The events for an open page: an answer that stays open. */
export function liveAnswer({ context: c, person, query }: SignedInVisit, { openPages, sessionCookie }: PortalDeps, watched: string) {
  const body = openPages.open({
    organisationId: person.organisationId,
    session: hashToken(sessionCookie.read(c) ?? ""),
    watched,
    version: query["version"] ?? "",
    clientLeft: c.req.raw.signal,
    cut: () => c.env?.outgoing?.destroy(),
  });
  return new Response(body, { headers: { ...c.get("answerHeaders"), ...eventHeaders } });
}
