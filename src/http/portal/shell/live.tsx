import type { Visit } from "../page.js";

interface LiveProps {
  readonly visit: Pick<Visit, "links" | "path">;
  /** The stream that tells of changes. */
  readonly from: string;
  /** True while something changes: a browser without scripts then gets a link that reloads the page. */
  readonly isMoving: boolean;
}

/** Makes a page change by itself, with the script live.js. Each message has the id of the part of the page that it replaces. */
export function Live({ visit, from, isMoving }: LiveProps) {
  return (
    <div class="live" data-live={visit.links.to(from)}>
      <p class="unseen" role="status" data-live-said />
      <p class="hint" data-live-lost hidden>
        This page does not change by itself at the moment. <a href={visit.links.to(visit.path)}>Reload</a>
      </p>
      {isMoving ? (
        <noscript>
          <p class="hint">
            <a href={visit.links.to(visit.path)}>Reload</a> to see how far it is.
          </p>
        </noscript>
      ) : null}
    </div>
  );
}
