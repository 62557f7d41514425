import { latestImports } from "../../../queries/importList.js";
import type { ImportStatus, ImportView } from "../../../queries/importView.js";
import { openRowsOf } from "../../../queries/overview.js";
import type { PageOf } from "../page.js";
import { type Column, EmptyState, Table } from "../shell/table.js";
import { Amount, ShortId, Time } from "../shell/values.js";
import type { SignedInVisit } from "../visit.js";

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
    const running = imports.filter(({ status }) => status === "queued" || status === "processing");
    const ended = imports.filter((view) => !running.includes(view));
    const address = visit.links.to(path);
    // While something runs this part of the page fetches itself again; without a script a reload does.
    const live =
      running.length > 0 ? { "hx-get": address, "hx-trigger": "every 3s", "hx-select": "#imports", "hx-swap": "outerMorph" } : {};
    return {
      title: "Overview",
      body: (
        <div id="imports" {...live}>
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
              <Table caption="Imports that run or wait, the newest first" columns={runningColumns(visit)} rows={running} />
            )}
          </section>
          <section class="panel" aria-labelledby="ended">
            <h2 id="ended">Last ended</h2>
            {ended.length === 0 ? (
              <EmptyState title="No import has ended yet">Files and pushes that the API takes show up here.</EmptyState>
            ) : (
              <Table caption="Imports that have ended, the newest first" columns={endedColumns(visit)} rows={ended} />
            )}
          </section>
        </div>
      ),
    };
  },
};

const kinds = { shipments: "Shipments", activities: "Activities" } as const;

const badges: Readonly<Record<ImportStatus, string>> = {
  queued: "",
  processing: "busy",
  completed: "good",
  failed: "bad",
  cancelled: "warn",
};
const labels: Readonly<Record<ImportStatus, string>> = {
  queued: "Waiting",
  processing: "Running",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

const Status = ({ status }: { status: ImportStatus }) => <span class={`badge ${badges[status]}`}>{labels[status]}</span>;

const first: readonly Column<ImportView>[] = [
  { heading: "Reference", names: true, cell: ({ sourceDetails }) => sourceDetails },
  { heading: "Import", cell: ({ importId, sourceDetails }) => <ShortId id={importId} about={`the id of ${sourceDetails}`} /> },
  { heading: "Kind", cell: ({ kind }) => kinds[kind] },
  { heading: "Status", cell: ({ status }) => <Status status={status} /> },
];

const runningColumns = (visit: SignedInVisit): readonly Column<ImportView>[] => [
  ...first,
  {
    heading: "Progress",
    cell: ({ progress, sourceDetails }) => (
      <span>
        <progress max={100} value={progress} aria-label={`Progress of ${sourceDetails}`} /> {progress} %
      </span>
    ),
  },
  { heading: "Submitted", cell: ({ submittedAt }) => <Time visit={visit} at={submittedAt} /> },
];

const endedColumns = (visit: SignedInVisit): readonly Column<ImportView>[] => [
  ...first,
  { heading: "Rows", number: true, cell: ({ counts }) => <Amount value={counts.received} /> },
  { heading: "Rejected", number: true, cell: ({ counts }) => <Amount value={counts.failed} /> },
  { heading: "Ended", cell: ({ finishedAt }) => <Time visit={visit} at={finishedAt} /> },
];
