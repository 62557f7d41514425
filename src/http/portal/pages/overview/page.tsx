import { latestImports } from "../../../../queries/imports/importList.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import { busiestChargeCodes, endedImports, pausedWebhooks } from "../../../../queries/recentWork.js";
import { countOpenRows } from "../../../../queries/rejectedRows/openRows.js";
import type { PageOf } from "../../page.js";
import { Live } from "../../shell/live.js";
import { EmptyState, Table } from "../../shell/table.js";
import type { SignedInVisit } from "../../visit.js";
import { importColumns, importMarks } from "../imports/rows.js";
import { isUnfinished, livePath } from "../imports/status.js";
import { lastDays } from "./days.js";
import { Needs } from "./needs.js";
import { RecentWork } from "./recentWork.js";

const shownImports = 10;
const shownDays = 30;
const shownChargeCodes = 10;

export const overviewPage: PageOf<SignedInVisit> = {
  path: "/portal",
  access: "look",
  show: async (visit, sources) => {
    const { organisationId, timezone } = visit.person;
    const { pool } = sources;
    const days = lastDays(shownDays, timezone, (await presentOf(pool, organisationId)).now);
    const [imports, { shipments, activities }, recent, chargeCodes, paused] = await Promise.all([
      latestImports(organisationId, shownImports, sources),
      countOpenRows(organisationId, undefined, pool),
      endedImports(pool, organisationId, days),
      busiestChargeCodes(pool, organisationId, days, shownChargeCodes),
      pausedWebhooks(pool, organisationId),
    ]);
    const running = imports.filter(isUnfinished);
    const ended = imports.filter((view) => !running.includes(view));
    return {
      title: "Overview",
      scripts: ["live.js"],
      body: (
        // Progress is sent row by row. When an import begins or ends, this part of the page is fetched again.
        <div id="imports" data-refetch>
          <Needs
            visit={visit}
            open={{ rows: shipments.rows + activities.rows, atLeast: shipments.atLeast }}
            failedImports={recent.failedImports}
            pausedWebhooks={paused}
          />
          <Live visit={visit} from={livePath} isMoving={running.length > 0} />
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
          <RecentWork days={days} recent={recent} chargeCodes={chargeCodes} />
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
