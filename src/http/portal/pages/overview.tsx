import { latestImports } from "../../../queries/importList.js";
import { openRowsOf } from "../../../queries/overview.js";
import type { PageOf } from "../page.js";
import { Live } from "../shell/live.js";
import { EmptyState, Table } from "../shell/table.js";
import { Amount } from "../shell/values.js";
import type { SignedInVisit } from "../visit.js";
import { importColumns, importMarks } from "./imports/rows.js";
import { isUnfinished, livePath } from "./imports/status.js";

const path = "/portal";
const shownImports = 10;

export const overviewPage: PageOf<SignedInVisit> = {
  path,
  access: "look",
  show: async (visit, sources) => {
    const { organisationId } = visit.person;
    const [imports, open] = await Promise.all([
      latestImports(organisationId, shownImports, sources),
      openRowsOf(sources.pool, organisationId),
    ]);
    const running = imports.filter(isUnfinished);
    const ended = imports.filter((view) => !running.includes(view));
    return {
      title: "Overview",
      scripts: ["live.js"],
      body: (
        // Progress is told row by row; where an import begins or ends this part of the page is fetched again.
        <div id="imports" data-refetch>
          <Live visit={visit} from={livePath} isMoving={running.length > 0} />
          <dl class="figures">
            <div>
              <dt>Imports running or waiting</dt>
              <dd>
                <Amount value={running.length} />
              </dd>
            </div>
            <div>
              <dt>Rejected rows waiting</dt>
              <dd>
                <Amount value={open.rows} />
                {open.atLeast ? " or more" : null}
              </dd>
            </div>
          </dl>
          <section class="panel" aria-labelledby="running">
            <h2 id="running">Running</h2>
            {running.length === 0 ? (
              <EmptyState title="Nothing is running" />
            ) : (
              <Table
                caption="Imports that run or wait, the newest first"
                columns={importColumns(visit)}
                rows={running}
                marks={importMarks}
              />
            )}
          </section>
          <section class="panel" aria-labelledby="ended">
            <h2 id="ended">Last ended</h2>
            {ended.length === 0 ? (
              <EmptyState title="No import has ended yet">Files and pushes that the API takes show up here.</EmptyState>
            ) : (
              <Table caption="Imports that have ended, the newest first" columns={importColumns(visit)} rows={ended} marks={importMarks} />
            )}
          </section>
        </div>
      ),
    };
  },
};
