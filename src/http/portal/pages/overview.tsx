import type { Child } from "hono/jsx";
import { latestImports } from "../../../queries/imports/importList.js";
import type { ImportView } from "../../../queries/imports/importView.js";
import { keysEndingSoon } from "../../../queries/organisations/keys.js";
import { presentCatalogueOf } from "../../../queries/organisations/organisations.js";
import { watchedName } from "../../../queries/pageVersions.js";
import {
  busiestChargeCodes,
  type ChargeCodeRows,
  countActivities,
  type EndedImports,
  endedImports,
  type TroubledWebhooks,
  troubledWebhooks,
} from "../../../queries/recentWork.js";
import { countOpenRows, newestWithOpenRows, type OpenRowCount } from "../../../queries/rejectedRows/openRows.js";
import type { Query } from "../links.js";
import { Live, versionOf } from "../live/live.js";
import type { PageDefinition, PortalDeps, SignedInVisit } from "../pageDefinition.js";
import { ButtonLink } from "../shell/form.js";
import { countInWords, groupDigits, timeInWords } from "../shell/formats.js";
import { EmptyState, type Fact, Facts, Panel } from "../shell/panel.js";
import { Bars, DailyColumns } from "../shell/plot.js";
import { Table } from "../shell/table.js";
import { Amount } from "../shell/values.js";
import { lastDownload } from "./activities/lastDownload.js";
import { type LastDays, lastDays, monthAfter, monthInWords, periodOf, shortDayInWords, today } from "./days.js";
import { firstStepsForms, getStarted } from "./firstSteps.js";
import { importColumns, importMarks, importNotes, isUnfinished, livePath, shownReference } from "./imports/importStatus.js";

const shownImports = 10;
const shownFiles = 5;
const shownDays = 30;
const leastBars = 7;
const shownChargeCodes = 10;

export const overviewPage: PageDefinition<SignedInVisit> = {
  path: "/portal",
  access: "look",
  show: async (visit, sources) => {
    const { may, person, links } = visit;
    const { organisationId, timezone } = person;
    const { pool } = sources;
    const version = await versionOf(watchedName.imports(organisationId), sources);
    const { now } = await presentCatalogueOf(organisationId, pool);
    const days = lastDays(shownDays, timezone, now);
    const [imports, { shipments, activities }, recent, chargeCodes, months, webhooks, endingKeys, firstSteps, withOpenRows] =
      await Promise.all([
        latestImports(organisationId, shownImports, sources),
        countOpenRows(organisationId, undefined, pool),
        endedImports(organisationId, days, pool),
        busiestChargeCodes(organisationId, days, shownChargeCodes, pool),
        rowsOfMonths(visit, now, sources),
        troubledWebhooks(organisationId, pool),
        may("keys") ? keysEndingSoon(organisationId, pool) : 0,
        getStarted(visit, sources),
        may("operate") ? newestWithOpenRows(organisationId, shownFiles, pool) : [],
      ]);
    const notes = await importNotes(organisationId, [...imports, ...withOpenRows], sources);
    const files = withOpenRows.map((file) => ({ ...file, rows: notes.listed.get(file.importId)?.openRows ?? 0 }));
    const running = imports.filter(isUnfinished);
    const list = (caption: string, rows: readonly ImportView[], empty?: Child) => (
      <Table visit={visit} caption={caption} columns={importColumns(visit, notes)} rows={rows} marks={importMarks} empty={empty} />
    );
    return {
      title: "Overview",
      scripts: ["live.js"],
      action: may("operate") ? <ButtonLink to={links.to("/portal/upload")} label="Upload a file" /> : null,
      body: (
        <>
          <Live visit={visit} from={livePath} version={version} isMoving={running.length > 0} />
          <div id="imports" data-refetch>
            <TodoPanel
              visit={visit}
              files={files.filter(({ rows }) => rows > 0)}
              open={{ rows: shipments.rows + activities.rows, atLeast: shipments.atLeast }}
              failedImports={recent.failedImports}
              webhooks={webhooks}
              endingKeys={endingKeys}
            />
            {firstSteps}
            {running.length === 0 ? null : (
              <Panel id="running" title="Running">
                {list("Imports that are running or queued, newest first", running)}
              </Panel>
            )}
            <Billing visit={visit} months={months} downloaded={lastDownload(visit, sources, months[1]?.month ?? "")} />
            <RecentWork days={days} recent={recent} chargeCodes={chargeCodes} />
            <Panel id="recent-imports" title="Recent imports">
              {list(
                "Imports that have ended, newest first",
                imports.filter((view) => !running.includes(view)),
                <EmptyState title="No imports yet">Files you upload and data sent through the API appear here.</EmptyState>,
              )}
            </Panel>
          </div>
        </>
      ),
    };
  },
};

export const overviewForms = firstStepsForms(overviewPage);

interface MonthRows {
  readonly month: string;
  readonly rows: number;
}

/** This month and the last, for those who bill. */
async function rowsOfMonths({ person }: SignedInVisit, now: Date, { pool }: PortalDeps): Promise<readonly MonthRows[]> {
  const month = today(person.timezone, now).slice(0, 7);
  return Promise.all(
    [month, monthAfter(month, -1)].map(async (each) => {
      const { from, to } = periodOf({ month: each }, person.timezone, now);
      return { month: each, rows: await countActivities(person.organisationId, { from, to }, pool) };
    }),
  );
}

interface BillingProps {
  readonly visit: SignedInVisit;
  readonly months: readonly MonthRows[];
  /** When this person took the last month's totals. */
  readonly downloaded: Date | undefined;
}

/** This month beside the last, and what has changed in the last one since it ended or was downloaded. */
function Billing({ visit, months, downloaded }: BillingProps) {
  const { links, person } = visit;
  const [current, last] = months;
  if (!current || !last || current.rows + last.rows === 0) return null;
  const to = (query: Query) => links.to("/portal/activities", query);
  return (
    <Panel id="billing" title="Activities">
      <Facts
        class="figures"
        facts={[current, last].map(
          ({ month, rows }, index): Fact => [
            `${index === 0 ? "This month" : "Last month"}, ${monthInWords(month)}`,
            <a href={to({ month })}>{countInWords(rows, "activity", "activities")}</a>,
          ],
        )}
      />
      <p>
        <a href={to({ month: last.month, since: downloaded?.toISOString() ?? `${current.month}-01T00:00:00` })}>
          What has changed in {monthInWords(last.month)} since{" "}
          {downloaded ? `you downloaded it on ${timeInWords(downloaded, person.timezone)}` : "it ended"}
        </a>
      </p>
    </Panel>
  );
}

interface TodoProps {
  readonly visit: SignedInVisit;
  readonly open: OpenRowCount;
  /** The newest with rows to correct, for people who correct them. */
  readonly files: readonly { readonly importId: string; readonly reference: string; readonly rows: number }[];
  readonly failedImports: number;
  readonly webhooks: TroubledWebhooks;
  /** None for people who cannot do anything about them. */
  readonly endingKeys: number;
}

/** What a person should do something about, each with the way there. No panel where there is nothing. */
function TodoPanel({ visit, open, files, failedImports, webhooks, endingKeys }: TodoProps) {
  const { links, may } = visit;
  const needs: Child[] = [];
  if (may("operate") && (open.rows > 0 || open.atLeast))
    needs.push(
      <>
        <a href={links.to("/portal/corrections")}>
          <Amount value={open.rows} />
          {open.atLeast ? " or more" : ""} rejected {open.rows === 1 && !open.atLeast ? "row" : "rows"} to correct
        </a>
        <ul class="plain-list">
          {files.map(({ importId, reference, rows }) => (
            <li>
              <a href={links.to("/portal/corrections", { import: importId })}>{shownReference({ reference })}</a>: {groupDigits(rows)}
            </li>
          ))}
        </ul>
      </>,
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
  { label: "Rejected", colour: "warn" },
] as const;

/** Each plot is there when it has enough bars to compare; fewer are numbers. */
function RecentWork({ days, recent, chargeCodes }: { days: LastDays; recent: EndedImports; chargeCodes: readonly ChargeCodeRows[] }) {
  const filled = recent.days.filter(({ accepted, rejected }) => accepted + rejected > 0);
  const sum = (part: "accepted" | "rejected") => filled.reduce((total, day) => total + day[part], 0);
  return (
    <>
      {filled.length === 0 ? null : (
        <Panel id="rows-per-day" title={filled.length < leastBars ? "Rows in the last 30 days" : "Rows per day"}>
          {filled.length < leastBars ? (
            <Facts
              class="figures"
              facts={[
                ["Accepted", <Amount value={sum("accepted")} />],
                ["Rejected", <Amount value={sum("rejected")} />],
              ]}
            />
          ) : (
            <DailyColumns
              title="Rows accepted and rejected, by the day their import ended"
              days={days.names.map((day, index) => {
                const { accepted = 0, rejected = 0 } = recent.days[index] ?? {};
                return { day, values: [accepted, rejected] };
              })}
              parts={parts}
              nameOf={shortDayInWords}
            />
          )}
          {recent.isCut ? <p class="muted">There were many imports, so the oldest of these days may be incomplete.</p> : null}
        </Panel>
      )}
      {chargeCodes.length === 0 ? null : (
        <Panel id="charge-codes" title="Activities by charge code, last 30 days">
          {chargeCodes.length < leastBars ? (
            <Facts
              class="figures"
              facts={chargeCodes.map(({ chargeCode, rows }): Fact => [chargeCode, countInWords(rows, "activity", "activities")])}
            />
          ) : (
            <Bars
              bars={chargeCodes.map(({ chargeCode, rows }) => ({ label: chargeCode, value: rows }))}
              unit={["activity", "activities"]}
              plain
            />
          )}
        </Panel>
      )}
    </>
  );
}
