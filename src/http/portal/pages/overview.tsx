import type { Child } from "hono/jsx";
import { latestImports } from "../../../queries/imports/importList.js";
import type { ImportView } from "../../../queries/imports/importView.js";
import { keysEndingSoon } from "../../../queries/organisations/keys.js";
import { versionAndClockOf } from "../../../queries/organisations/organisations.js";
import { watchedName } from "../../../queries/pageVersions.js";
import { busiestChargeCodes, countActivities, type EndedImports, endedImports, troubledWebhooks } from "../../../queries/recentWork.js";
import { countOpenRows, newestWithOpenRows, type OpenRowCount } from "../../../queries/rejectedRows/openRows.js";
import { Live, versionOf } from "../live/live.js";
import { definePage, type PortalDeps, type SignedInVisit } from "../pageDefinition.js";
import { countInWords, groupDigits, timeInWords } from "../shell/formats.js";
import { Amount, ButtonLink, EmptyState, type Fact, Facts, Link, Panel, PlainList, withQuery } from "../shell/parts.js";
import { Bars, DailyColumns } from "../shell/plot.js";
import { Table } from "../shell/table.js";
import { activitiesPath, lastDownload } from "./activities/selection.js";
import { type LastDays, lastDays, monthAfter, monthInWords, periodOf, shortDayInWords, today } from "./days.js";
import { firstStepsForms, getStarted } from "./firstSteps.js";
import { importColumns, importMarks, importNotes, isUnfinished, livePath, shownReference } from "./imports/importStatus.js";

const shownImports = 10;
const shownFiles = 5;
const shownDays = 30;
const leastBars = 7;
const shownChargeCodes = 10;

export const overviewPage = definePage("/portal", "look", async (visit, sources) => {
  const { may, person } = visit;
  const { organisationId, timezone } = person;
  const { pool } = sources;
  const version = await versionOf(watchedName.imports(organisationId), sources);
  const { now } = await versionAndClockOf(organisationId, pool);
  const days = lastDays(shownDays, timezone, now);
  const [imports, { shipments, activities }, recent, chargeCodes, bill, webhooks, endingKeys, firstSteps, withOpenRows] = await Promise.all(
    [
      latestImports(organisationId, shownImports, sources),
      countOpenRows(organisationId, undefined, pool),
      endedImports(organisationId, days, pool),
      chargeCodesPart(organisationId, days, pool),
      billing(visit, sources, now),
      troubledWebhooks(organisationId, pool),
      may("keys") ? keysEndingSoon(organisationId, pool) : 0,
      getStarted(visit, sources),
      may("operate") ? newestWithOpenRows(organisationId, shownFiles, pool) : [],
    ],
  );
  const notes = await importNotes(organisationId, [...imports, ...withOpenRows], sources);
  const files = withOpenRows.map((file) => ({ ...file, rows: notes.listed.get(file.importId)?.openRows ?? 0 }));
  const running = imports.filter(isUnfinished);
  const list = (caption: string, rows: readonly ImportView[], empty?: Child) => (
    <Table caption={caption} columns={importColumns(notes)} rows={rows} marks={importMarks} empty={empty} />
  );
  return {
    title: "Overview",
    scripts: ["live.js"],
    action: may("operate") ? <ButtonLink to="/portal/upload" label="Upload a file" /> : null,
    body: (
      <>
        <Live from={livePath} version={version} isMoving={running.length > 0} />
        <div id="imports" data-refetch>
          <TodoPanel
            may={may}
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
          {bill}
          <RowsPerDay days={days} recent={recent} />
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

/** For those who bill: this month beside the last, and what has changed in the last one since it ended or this person took its totals. */
async function billing(visit: SignedInVisit, deps: PortalDeps, now: Date): Promise<Child> {
  const { organisationId, timezone } = visit.person;
  const month = today(timezone, now).slice(0, 7);
  const last = monthAfter(month, -1);
  const count = (of: string) => {
    const { from, to } = periodOf({ month: of }, timezone, now);
    return countActivities(organisationId, { from, to }, deps.pool);
  };
  const [rows, rowsOfLast] = await Promise.all([count(month), count(last)]);
  if (rows + rowsOfLast === 0) return null;
  const downloaded = lastDownload(visit, deps, last);
  const since = downloaded?.toISOString() ?? `${month}-01T00:00:00`;
  const figure = (name: string, of: string, found: number): Fact => [
    `${name}, ${monthInWords(of)}`,
    <Link to={withQuery(activitiesPath, { month: of })}>{countInWords(found, "activity", "activities")}</Link>,
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
  readonly open: OpenRowCount;
  /** The newest with rows to correct, for people who correct them. */
  readonly files: readonly { readonly importId: string; readonly reference: string; readonly rows: number }[];
  readonly failedImports: number;
  readonly webhooks: Readonly<Record<"paused" | "failing", number>>;
  /** None for people who cannot do anything about them. */
  readonly endingKeys: number;
}

/** What a person should do something about, each with the way there. No panel where there is nothing. */
function TodoPanel({ may, open, files, failedImports, webhooks, endingKeys }: TodoProps) {
  const needs: Child[] = [];
  if (may("operate") && (open.rows > 0 || open.atLeast))
    needs.push(
      <>
        <Link to="/portal/corrections">
          <Amount value={open.rows} />
          {open.atLeast ? " or more" : ""} rejected {open.rows === 1 && !open.atLeast ? "row" : "rows"} to correct
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
    needs.push(<Link to="/portal/imports?status=failed">{countInWords(failedImports, "import")} failed in the last 30 days</Link>);
  for (const state of ["paused", "failing"] as const) {
    if (webhooks[state] === 0) continue;
    const sentence = `${countInWords(webhooks[state], "webhook is", "webhooks are")} ${state}`;
    needs.push(may("webhooks") ? <Link to="/portal/settings/webhooks">{sentence}</Link> : sentence);
  }
  if (endingKeys > 0)
    needs.push(<Link to="/portal/settings/keys">{countInWords(endingKeys, "API key ends", "API keys end")} within 14 days</Link>);
  if (needs.length === 0) return null;
  return (
    <Panel id="needs" title="Needs attention">
      <PlainList class="needs" items={needs} />
    </Panel>
  );
}

const parts = [
  { label: "Accepted", colour: "good" },
  { label: "Rejected", colour: "warn" },
] as const;

/** Each plot is there when it has enough bars to compare; fewer are numbers. */
function RowsPerDay({ days, recent }: { days: LastDays; recent: EndedImports }) {
  const filled = recent.days.filter(({ accepted, rejected }) => accepted + rejected > 0);
  const sum = (part: "accepted" | "rejected") => filled.reduce((total, day) => total + day[part], 0);
  if (filled.length === 0) return null;
  return (
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
  );
}

async function chargeCodesPart(organisationId: string, days: LastDays, pool: PortalDeps["pool"]): Promise<Child> {
  const found = await busiestChargeCodes(organisationId, days, shownChargeCodes, pool);
  if (found.length === 0) return null;
  const bars = found.map(({ chargeCode, rows }) => [chargeCode, rows] as const);
  const facts = found.map(({ chargeCode, rows }): Fact => [chargeCode, countInWords(rows, "activity", "activities")]);
  return (
    <Panel id="charge-codes" title="Activities by charge code, last 30 days">
      {found.length < leastBars ? <Facts class="figures" facts={facts} /> : <Bars bars={bars} unit={["activity", "activities"]} plain />}
    </Panel>
  );
}
