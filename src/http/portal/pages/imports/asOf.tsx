// An import's page as it was at a time: from its stream, since the tables have only the present.

import { importTimeline } from "../../../../queries/imports/importTimeline.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { importAsOf } from "../../../../queries/streamSearch.js";
import { inTime } from "../../../server/inTime.js";
import type { PortalDeps } from "../../page.js";
import { EmptyState } from "../../shell/table.js";
import { Amount } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { importPath, StatusBadge } from "./status.js";
import { Timeline } from "./timeline.js";

const longestMs = 4_000;
/** The link to the history begins this many events before the last event of that time. */
const eventsBefore = 24n;

export async function AsItWas({ visit, view, asOf, deps }: { visit: SignedInVisit; view: ImportView; asOf: Date; deps: PortalDeps }) {
  const { organisationId } = visit.person;
  const { importId } = view;
  const [was, steps, nameOf] = await Promise.all([
    inTime(importAsOf(importId, asOf, deps.eventStore), longestMs, "an import as of a time"),
    inTime(importTimeline(organisationId, view, deps.eventStore), longestMs, "an import's history"),
    principalNames(deps.pool, organisationId),
  ]);
  if (!was)
    return (
      <section class="panel" aria-label="Import">
        <EmptyState title="It had not been sent at that time" />
      </section>
    );
  const { status, rows, rejected, revision } = was;
  const from = revision > eventsBefore ? revision - eventsBefore : 0n;
  return (
    <>
      <section class="panel" aria-labelledby="as-it-was">
        <h2 id="as-it-was">As it was</h2>
        <p class="status">
          <StatusBadge view={{ status, cancelling: false }} />
          <a href={visit.links.to(`${importPath(importId)}/history?from=${from}`)}>Its last events by then</a>
        </p>
        <dl class="facts">
          <div>
            <dt>Rows judged</dt>
            <dd>
              <Amount value={rows} />
            </dd>
          </div>
          <div>
            <dt>Rejected</dt>
            <dd>{rejected === undefined ? "More rows than a page counts" : <Amount value={rejected} />}</dd>
          </div>
        </dl>
      </section>
      <Timeline
        visit={visit}
        view={{ ...view, cancelling: false }}
        steps={steps.filter(({ recordedAt }) => recordedAt <= asOf)}
        nameOf={nameOf}
      />
    </>
  );
}
