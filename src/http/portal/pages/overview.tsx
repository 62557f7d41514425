import type { Child } from "hono/jsx";
import { latestImports } from "../../../queries/imports/importList.js";
import type { ImportView } from "../../../queries/imports/importView.js";
import { keysEndingSoon } from "../../../queries/organisations/keys.js";
import { versionAndClockOf } from "../../../queries/organisations/organisations.js";
import { watchedName } from "../../../queries/pageVersions.js";
import { busiestChargeCodes, countActivities, type EndedImports, endedImports, troubledWebhooks } from "../../../queries/recentWork.js";
import { countOpenRows, newestWithOpenRows, type OpenRowCount } from "../../../queries/rejectedRows/openRows.js";
import { Live, liveVersionOf } from "../live/live.js";
import { definePage, type PortalDeps, type SignedInVisit } from "../pageDefinition.js";
import { countInWords, groupDigits, timeInWords } from "../shell/formats.js";
import { Amount, ButtonLink, EmptyState, type Fact, Facts, Link, Panel, PlainList, withQuery } from "../shell/markup.js";
import { Bars, DailyColumns } from "../shell/plot.js";
import { Table } from "../shell/table.js";
import { activitiesPath, lastDownload } from "./activities/selection.js";
import { addMonths, type LastDays, lastDays, monthInWords, periodFromQuery, shortDayInWords, today } from "./days.js";
import { firstStepsForms, firstStepsPanel } from "./firstSteps.js";
import { importColumns, importMarks, isUnfinished, listDetails, livePath, shownReference } from "./imports/importStatus.js";

const maxImports = 10;
const maxFiles = 5;
const plottedDays = 30;
const minBars = 7;
const maxChargeCodes = 10;

export const overviewPage = definePage("/portal", "look", async (visit, deps) => {
  const { may, person } = visit;
  const { organisationId, timezone } = person;
  const { pool } = deps;
  const version = await liveVersionOf(watchedName.imports(organisationId), deps);
  const { now } = await versionAndClockOf(organisationId, pool);
  const days = lastDays(plottedDays, timezone, now);
  const [imports, { shipments, activities }, recentWork, chargeCodes, billing, webhooks, endingKeys, firstSteps, filesToCorrect] =
    await Promise.all([
      latestImports(organisationId, maxImports, deps),
      countOpenRows(organisationId, undefined, pool),
      endedImports(organisationId, days, pool),
      chargeCodesPanel(organisationId, days, pool),
      billingPanel(visit, deps, now),
      troubledWebhooks(organisationId, pool),
      may("keys") ? keysEndingSoon(organisationId, pool) : 0,
      firstStepsPanel(visit, deps),
      may("operate") ? newestWithOpenRows(organisationId, maxFiles, pool) : [],
    ]);
  const importDetails = await listDetails(organisationId, [...imports, ...filesToCorrect], deps);
  const files = filesToCorrect.map((file) => ({ ...file, rows: importDetails.detailsById.get(file.importId)?.openRows ?? 0 }));
  const running = imports.filter(isUnfinished);
  const list = (caption: string, rows: readonly ImportView[], empty?: Child) => (
    <Table caption={caption} columns={importColumns(importDetails)} rows={rows} rowAttributes={importMarks} empty={empty} />
  );
  return {
    title: "Overview",
    scripts: ["live.js"],
    action: may("operate") ? <ButtonLink to="/portal/upload" label="Upload a file" /> : null,
    body: (
      <>
        <Live eventsPath={livePath} version={version} isInProgress={running.length > 0} />
        <div id="imports" data-refetch>
          <TodoPanel
            may={may}
            files={files.filter(({ rows }) => rows > 0)}
            openRows={{ rows: shipments.rows + activities.rows, atLeast: shipments.atLeast }}
            failedImports={recentWork.failedImports}
            webhooks={webhooks}
            endingKeys={endingKeys}
          />
          {firstSteps}
          {running.length === 0 ? null : (
            <Panel id="running" title="Running">
              {list("Imports that are running or queued, newest first", running)}
            </Panel>
          )}
          {billing}
          <RowsPerDay days={days} recentWork={recentWork} />
          {chargeCodes}
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
});

export const overviewForms = firstStepsForms(overviewPage);

/** The activities of this month and of the last, and a link to what changed in the last month since it ended or was downloaded. */
async function billingPanel(visit: SignedInVisit, deps: PortalDeps, now: Date): Promise<Child> {
  const { organisationId, timezone } = visit.person;
  const month = today(timezone, now).slice(0, 7);
  const last = addMonths(month, -1);
  const countOf = (ofMonth: string) => {
    const { from, to } = periodFromQuery({ month: ofMonth }, timezone, now);
    return countActivities(organisationId, { from, to }, deps.pool);
  };
  const [rows, rowsOfLast] = await Promise.all([countOf(month), countOf(last)]);
  if (rows + rowsOfLast === 0) return null;
  const downloaded = lastDownload(visit, deps, last);
  const since = downloaded?.toISOString() ?? `${month}-01T00:00:00`;
  const figure = (name: string, ofMonth: string, activities: number): Fact => [
    `${name}, ${monthInWords(ofMonth)}`,
    <Link to={withQuery(activitiesPath, { month: ofMonth })}>{countInWords(activities, "activity", "activities")}</Link>,
  ];
  return (
    <Panel id="billing" title="Activities">
      <Facts class="figures" facts={[figure("This month", month, rows), figure("Last month", last, rowsOfLast)]} />
      <p>
        <Link to={withQuery(activitiesPath, { month: last, since })}>
          What has changed in {monthInWords(last)} since{" "}
          {downloaded ? `you downloaded it on ${timeInWords(downloaded, timezone)}` : "it ended"}
        </Link>
      </p>
    </Panel>
  );
}

interface TodoProps extends Pick<SignedInVisit, "may"> {
  readonly openRows: OpenRowCount;
  /** The newest imports with rows to correct. Empty for people who may not correct them. */
  readonly files: readonly { readonly importId: string; readonly reference: string; readonly rows: number }[];
  readonly failedImports: number;
  readonly webhooks: Readonly<Record<"paused" | "failing", number>>;
  /** Zero for people who may not change keys. */
  readonly endingKeys: number;
}

/** What needs a person's attention, with links. Null if there is nothing. */
function TodoPanel({ may, openRows, files, failedImports, webhooks, endingKeys }: TodoProps) {
  const items: Child[] = [];
  if (may("operate") && (openRows.rows > 0 || openRows.atLeast))
    items.push(
      <>
        <Link to="/portal/corrections">
          <Amount value={openRows.rows} />
          {openRows.atLeast ? " or more" : ""} rejected {openRows.rows === 1 && !openRows.atLeast ? "row" : "rows"} to correct
        </Link>
        <PlainList
          items={files.map(({ importId, reference, rows }) => [
            <Link to={withQuery("/portal/corrections", { import: importId })}>{shownReference({ reference })}</Link>,
            `: ${groupDigits(rows)}`,
          ])}
        />
      </>,
    );
  if (failedImports > 0)
    items.push(<Link to="/portal/imports?status=failed">{countInWords(failedImports, "import")} failed in the last 30 days</Link>);
  for (const state of ["paused", "failing"] as const) {
    if (webhooks[state] === 0) continue;
    const sentence = `${countInWords(webhooks[state], "webhook is", "webhooks are")} ${state}`;
    items.push(may("webhooks") ? <Link to="/portal/settings/webhooks">{sentence}</Link> : sentence);
  }
  if (endingKeys > 0)
    items.push(<Link to="/portal/settings/keys">{countInWords(endingKeys, "API key ends", "API keys end")} within 14 days</Link>);
  if (items.length === 0) return null;
  return (
    <Panel id="needs" title="Needs attention">
      <PlainList class="needs" items={items} />
    </Panel>
  );
}

const parts = [
  { label: "Accepted", colour: "good" },
  { label: "Rejected", colour: "warn" },
] as const;

/** A plot of the rows per day. If too few days have rows to compare them, the sums instead. */
function RowsPerDay({ days, recentWork }: { days: LastDays; recentWork: EndedImports }) {
  const nonEmptyDays = recentWork.days.filter(({ accepted, rejected }) => accepted + rejected > 0);
  const sum = (part: "accepted" | "rejected") => nonEmptyDays.reduce((total, day) => total + day[part], 0);
  if (nonEmptyDays.length === 0) return null;
  return (
    <Panel id="rows-per-day" title={nonEmptyDays.length < minBars ? "Rows in the last 30 days" : "Rows per day"}>
      {nonEmptyDays.length < minBars ? (
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
            const { accepted = 0, rejected = 0 } = recentWork.days[index] ?? {};
            return { day, values: [accepted, rejected] };
          })}
          parts={parts}
          nameOf={shortDayInWords}
        />
      )}
      {recentWork.isCut ? <p class="muted">There were many imports, so the oldest of these days may be incomplete.</p> : null}
    </Panel>
  );
}

async function chargeCodesPanel(organisationId: string, days: LastDays, pool: PortalDeps["pool"]): Promise<Child> {
  const found = await busiestChargeCodes(organisationId, days, maxChargeCodes, pool);
  if (found.length === 0) return null;
  const bars = found.map(({ chargeCode, rows }) => [chargeCode, rows] as const);
  const facts = found.map(({ chargeCode, rows }): Fact => [chargeCode, countInWords(rows, "activity", "activities")]);
  return (
    <Panel id="charge-codes" title="Activities by charge code, last 30 days">
      {found.length < minBars ? <Facts class="figures" facts={facts} /> : <Bars bars={bars} noun={["activity", "activities"]} isNeutral />}
    </Panel>
  );
}
