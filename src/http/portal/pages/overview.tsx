import type { Child } from "hono/jsx";
import { latestImports } from "../../../queries/imports/importList.js";
import { keysEndingSoon } from "../../../queries/organisations/keys.js";
import { presentOf } from "../../../queries/organisations/organisations.js";
import {
  busiestChargeCodes,
  type ChargeCodeRows,
  type EndedImports,
  endedImports,
  type TroubledWebhooks,
  troubledWebhooks,
} from "../../../queries/recentWork.js";
import { countOpenRows, type RowCount } from "../../../queries/rejectedRows/openRows.js";
import type { PageOf, SignedInVisit } from "../page.js";
import { ButtonLink } from "../shell/form.js";
import { EmptyState, Panel } from "../shell/panel.js";
import { Bars, DailyColumns } from "../shell/plot.js";
import { Table } from "../shell/table.js";
import { Amount } from "../shell/values.js";
import { dayInWords, type LastDays, lastDays } from "./days.js";
import { importColumns, importMarks, importNotes, isUnfinished, Live, livePath } from "./imports/status.js";

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
    const [imports, { shipments, activities }, recent, chargeCodes, webhooks, endingKeys] = await Promise.all([
      latestImports(organisationId, shownImports, sources),
      countOpenRows(organisationId, undefined, pool),
      endedImports(pool, organisationId, days),
      busiestChargeCodes(pool, organisationId, days, shownChargeCodes),
      troubledWebhooks(pool, organisationId),
      visit.may("keys") ? keysEndingSoon(pool, organisationId) : 0,
    ]);
    const notes = await importNotes(organisationId, imports, sources);
    const running = imports.filter(isUnfinished);
    const ended = imports.filter((view) => !running.includes(view));
    return {
      title: "Overview",
      scripts: ["live.js"],
      action: visit.may("operate") ? <ButtonLink to={visit.links.to("/portal/upload")} label="Upload a file" /> : null,
      body: (
        // Progress is sent row by row. When an import begins or ends, this part of the page is fetched again.
        <div id="imports" data-refetch>
          <Needs
            visit={visit}
            open={{ rows: shipments.rows + activities.rows, atLeast: shipments.atLeast }}
            failedImports={recent.failedImports}
            webhooks={webhooks}
            endingKeys={endingKeys}
          />
          <Live visit={visit} from={livePath} isMoving={running.length > 0} />
          {running.length === 0 ? null : (
            <Panel id="running" title="Running">
              <Table
                visit={visit}
                caption="Imports that are running or queued, newest first"
                columns={importColumns(visit, notes)}
                rows={running}
                marks={importMarks}
              />
            </Panel>
          )}
          <RecentWork days={days} recent={recent} chargeCodes={chargeCodes} />
          <Panel id="ended" title="Recent imports">
            <Table
              visit={visit}
              caption="Imports that have ended, newest first"
              columns={importColumns(visit, notes)}
              rows={ended}
              empty={<EmptyState title="No imports yet">Files you upload and data sent through the API appear here.</EmptyState>}
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
  readonly webhooks: TroubledWebhooks;
  /** None for people who cannot do anything about them. */
  readonly endingKeys: number;
}

/** What a person should do something about, each with the way there. No panel where there is nothing. */
function Needs({ visit, open, failedImports, webhooks, endingKeys }: NeedsProps) {
  const { links, may } = visit;
  const needs: Child[] = [];
  if (open.rows > 0 || open.atLeast)
    needs.push(
      <a href={links.to("/portal/corrections")}>
        <Amount value={open.rows} />
        {open.atLeast ? " or more" : ""} rejected {open.rows === 1 && !open.atLeast ? "row" : "rows"} to correct
      </a>,
    );
  if (failedImports > 0)
    needs.push(
      <a href={links.to("/portal/imports?status=failed")}>
        <Amount value={failedImports} /> {failedImports === 1 ? "import" : "imports"} failed in the last 30 days
      </a>,
    );
  for (const state of ["paused", "failing"] as const) {
    const count = webhooks[state];
    if (count === 0) continue;
    const sentence = (
      <>
        <Amount value={count} /> {count === 1 ? "webhook is" : "webhooks are"} {state}
      </>
    );
    needs.push(may("webhooks") ? <a href={links.to("/portal/settings/webhooks")}>{sentence}</a> : <span>{sentence}</span>);
  }
  if (endingKeys > 0)
    needs.push(
      <a href={links.to("/portal/settings/keys")}>
        <Amount value={endingKeys} /> API {endingKeys === 1 ? "key ends" : "keys end"} within 14 days
      </a>,
    );
  if (needs.length === 0) return null;
  return (
    <Panel id="needs" title="Needs attention">
      <ul class="needs">
        {needs.map((need) => (
          <li>{need}</li>
        ))}
      </ul>
    </Panel>
  );
}

const parts = [
  { label: "Accepted", colour: "good" },
  { label: "Rejected", colour: "bad" },
] as const;

/** Each plot is there when it has something to show. */
const RecentWork = ({ days, recent, chargeCodes }: { days: LastDays; recent: EndedImports; chargeCodes: readonly ChargeCodeRows[] }) => (
  <>
    {recent.days.every(({ accepted, rejected }) => accepted + rejected === 0) ? null : (
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
        {recent.isCut ? <p class="muted">There were many imports, so the oldest of these days may be incomplete.</p> : null}
      </Panel>
    )}
    {chargeCodes.length === 0 ? null : (
      <Panel id="charge-codes" title="Activities by charge code, last 30 days">
        <Bars
          bars={chargeCodes.map(({ chargeCode, rows }) => ({ label: chargeCode, value: rows }))}
          unit={["activity", "activities"]}
          plain
        />
      </Panel>
    )}
  </>
);
