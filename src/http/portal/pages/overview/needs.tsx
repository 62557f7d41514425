import type { Child } from "hono/jsx";
import type { RowCount } from "../../../../queries/rejectedRows/openRows.js";
import { EmptyState } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { isInMenu } from "../navigation.js";

interface NeedsProps {
  readonly visit: SignedInVisit;
  readonly open: RowCount;
  readonly failedImports: number;
  readonly pausedWebhooks: number;
}

const webhooksPath = "/portal/settings/webhooks";

/** What waits for a person, each with the way there. */
export function Needs({ visit, open, failedImports, pausedWebhooks }: NeedsProps) {
  const { links, may } = visit;
  const needs: Child[] = [];
  if (open.rows > 0 || open.atLeast)
    needs.push(
      <a href={links.to("/portal/corrections")}>
        <Amount value={open.rows} />
        {open.atLeast ? " or more" : ""} rejected {open.rows === 1 && !open.atLeast ? "row waits" : "rows wait"}
      </a>,
    );
  if (failedImports > 0)
    needs.push(
      <a href={links.to("/portal/imports?status=failed")}>
        <Amount value={failedImports} /> {failedImports === 1 ? "import" : "imports"} failed in the last 30 days
      </a>,
    );
  if (pausedWebhooks > 0) {
    const said = (
      <>
        <Amount value={pausedWebhooks} /> {pausedWebhooks === 1 ? "webhook is" : "webhooks are"} paused
      </>
    );
    needs.push(isInMenu(webhooksPath) && may("webhooks") ? <a href={links.to(webhooksPath)}>{said}</a> : <span>{said}</span>);
  }
  return (
    <section class="panel" aria-labelledby="needs">
      <h2 id="needs">Needs attention</h2>
      {needs.length === 0 ? (
        <EmptyState title="Nothing waits for you" />
      ) : (
        <ul class="needs">
          {needs.map((need) => (
            <li>{need}</li>
          ))}
        </ul>
      )}
      {may("operate") ? (
        <a class="button" href={links.to("/portal/upload")}>
          Upload a file
        </a>
      ) : null}
    </section>
  );
}
