import type { Child } from "hono/jsx";
import { latestImports } from "../../../queries/imports/importList.js";
import { presentOf } from "../../../queries/organisations/organisations.js";
import { busiestChargeCodes, type ChargeCodeRows, type EndedImports, endedImports, pausedWebhooks } from "../../../queries/recentWork.js";
import { countOpenRows, type RowCount } from "../../../queries/rejectedRows/openRows.js";
import type { PageOf, SignedInVisit } from "../page.js";
import { ButtonLink } from "../shell/form.js";
import { EmptyState, Panel, Table } from "../shell/panel.js";
import { Bars, DailyColumns } from "../shell/plot.js";
import { Amount } from "../shell/values.js";
import { dayInWords, type LastDays, lastDays } from "./days.js";
import { importColumns, importMarks, isUnfinished, Live, livePath } from "./imports/status.js";

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
          <Panel id="running" title="Running">
            <Table
              caption="Imports that run or wait, the newest first"
              columns={importColumns(visit)}
              rows={running}
              empty={<EmptyState title="Nothing is running" />}
              marks={importMarks}
            />
          </Panel>
          <RecentWork days={days} recent={recent} chargeCodes={chargeCodes} />
          <Panel id="ended" title="Last ended">
            <Table
              caption="Imports that have ended, the newest first"
              columns={importColumns(visit)}
              rows={ended}
              empty={<EmptyState title="No import has ended yet">Files and pushes that the API takes show up here.</EmptyState>}
              marks={importMarks}
            />
          </Panel>
        </div>
      ),
    };
  },
};

interface NeedsProps {
  readonly visit: SignedInVisit;
  readonly open: RowCount;
  readonly failedImports: number;
  readonly pausedWebhooks: number;
}

/** What waits for a person, each with the way there. */
function Needs({ visit, open, failedImports, pausedWebhooks }: NeedsProps) {
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
    const sentence = (
      <>
        <Amount value={pausedWebhooks} /> {pausedWebhooks === 1 ? "webhook is" : "webhooks are"} paused
      </>
    );
    needs.push(may("webhooks") ? <a href={links.to("/portal/settings/webhooks")}>{sentence}</a> : <span>{sentence}</span>);
  }
  return (
    <Panel id="needs" title="Needs attention">
      {needs.length === 0 ? (
        <EmptyState title="Nothing waits for you" />
      ) : (
        <ul class="needs">
          {needs.map((need) => (
            <li>{need}</li>
          ))}
        </ul>
      )}
      {may("operate") ? <ButtonLink to={links.to("/portal/upload")} label="Upload a file" /> : null}
    </Panel>
  );
}

const parts = [
  { label: "Accepted", colour: "good" },
  { label: "Rejected", colour: "bad" },
] as const;

const RecentWork = ({ days, recent, chargeCodes }: { days: LastDays; recent: EndedImports; chargeCodes: readonly ChargeCodeRows[] }) => (
  <>
    <Panel id="rows-per-day" title="Rows per day">
      <DailyColumns
        title="Rows accepted and rejected, by the day their import ended"
        days={days.names.map((day, index) => {
          const { accepted = 0, rejected = 0 } = recent.days[index] ?? {};
          return { day, values: [accepted, rejected] };
        })}
        parts={parts}
        nameOf={dayInWords}
      />
      {recent.isCut ? <p class="muted">There were so many imports that the oldest of these days are not counted whole.</p> : null}
    </Panel>
    <Panel id="charge-codes" title="Activities by charge code, last 30 days">
      {chargeCodes.length === 0 ? (
        <EmptyState title="No activities in the last 30 days" />
      ) : (
        <Bars
          bars={chargeCodes.map(({ chargeCode, rows }) => ({ label: chargeCode, value: rows }))}
          unit={["activity", "activities"]}
          plain
        />
      )}
    </Panel>
  </>
);
