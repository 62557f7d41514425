// The page of one import: its status from the tables, its history from its event stream, and the form that cancels it.
import { cancelImport } from "../../../../commands/imports/endImport.js";
import { readRequestedEvent } from "../../../../events/importLayout.js";
import { type ReadImport, requireImport } from "../../../../queries/imports/importStatus.js";
import { importTimeline } from "../../../../queries/imports/importTimeline.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { watchedName } from "../../../../queries/pageVersions.js";
import { importAsOf } from "../../../../queries/streamSearch.js";
import { answerInTime } from "../../../server/answerInTime.js";
import { Live, liveAnswer, liveVersionOf } from "../../live/live.js";
import { defineAnswer, defineForm, definePage, type PortalDeps, type SignedInVisit, withNotice } from "../../pageDefinition.js";
import { Amount, Badge, EmptyPanel, Facts, Link, Panel, ShortId, withQuery } from "../../shell/markup.js";
import { Question } from "../../shell/question.js";
import { AsOfForm, timeFromQuery } from "../days.js";
import { ColumnsOfImport } from "../upload/columns/chosenLine.js";
import { reasonsPart, rejectedPart, reversalsPart, Timeline } from "./importParts.js";
import { earlierPush, importPath, importsPath, isUnfinished, livePath, PushInWords, shownReference, statusBadge } from "./importStatus.js";
import { statusPart } from "./statusPart.js";

export const importPage = definePage(`${importsPath}/{importId}`, "look", async (visit, deps) => {
  const { importId = "" } = visit.params;
  const path = importPath(importId);
  const version = await liveVersionOf(watchedName.import(importId), deps);
  const { view } = await importOf(visit, deps);
  const asOf = timeFromQuery(visit);
  const head = {
    title: shownReference(view),
    crumbs: [["Imports", importsPath] as const],
    menu: [{ label: "History", to: `${path}/history` }],
  };
  const details = await importDetails(visit, view, deps);
  const asOfFilter = <AsOfForm visit={visit} path={path} asOf={asOf} />;
  if (asOf) return { ...head, body: [details, asOfFilter, await pastImport(visit, view, asOf, deps)] };
  const current = await currentState(visit, view, deps);
  const asksToCancel = visit.query["ask"] === "cancel" && isUnfinished(view) && visit.may("operate");
  return {
    ...head,
    scripts: ["live.js"],
    question: asksToCancel && (
      <Question title="Cancel this import?" to={`${path}/cancel`} back={path} label="Cancel import" cancelLabel="Keep it">
        <strong>{shownReference(view)}</strong>{" "}
        {view.status === "queued"
          ? "has not started. Nothing of it will be recorded."
          : "stops in a moment. None of its rows will be recorded. The rows checked so far stay in its history."}{" "}
        If you need it later, upload the file again.
      </Question>
    ),
    body: (
      <>
        {details}
        <Live eventsPath={`${livePath}/${importId}`} version={version} isInProgress={isUnfinished(view)} />
        <div id="import-now" data-refetch>
          {current}
        </div>
        {asOfFilter}
      </>
    ),
  };
});

export const liveImport = defineAnswer(`${livePath}/{importId}`, "look", async (visit, deps) => {
  const { view } = await importOf(visit, deps);
  return liveAnswer(visit, deps, watchedName.import(view.importId));
});

/** The longest wait for the history. After it the page is shown without the history. */
const maxHistoryMs = 1_500;

async function currentState(visit: SignedInVisit, view: ImportView, deps: PortalDeps) {
  const { pool, eventStore } = deps;
  const { organisationId } = visit.person;
  const nameOf = await principalNames(organisationId, pool);
  const [status, reversals, steps, reasons, rejected] = await Promise.all([
    statusPart(visit, view, deps),
    reversalsPart(organisationId, view, nameOf, pool),
    answerInTime(importTimeline(organisationId, view, eventStore), maxHistoryMs, "an import's history").catch(() => undefined),
    reasonsPart(organisationId, view, pool),
    rejectedPart(visit, view, deps),
  ]);
  return [status, reversals, <Timeline view={view} steps={steps} nameOf={nameOf} />, reasons, rejected];
}

async function importDetails(visit: SignedInVisit, view: ImportView, deps: PortalDeps) {
  const { organisationId } = visit.person;
  const earlier = view.sameFileAs === null ? undefined : await earlierPush(organisationId, view.sameFileAs, deps);
  const requested = view.source === "file" ? readRequestedEvent(deps.eventStore, view.importId) : Promise.resolve(undefined);
  // Undefined for a file with our own headings, and if the event store does not answer.
  const columns = (await answerInTime(requested, maxWaitMs, "the first event of an import").catch(() => undefined))?.data.columns;
  const nameOf = await principalNames(organisationId, deps.pool);
  return (
    <>
      <p class="under-heading">
        <span class="muted">
          Import <ShortId id={view.importId} about="the id of this import" />
        </span>
      </p>
      {earlier ? (
        <p class="notice warn">
          The same file as <PushInWords earlier={earlier} />.
        </p>
      ) : null}
      {columns ? <ColumnsOfImport kind={view.kind} columns={columns} nameOf={nameOf} /> : null}
    </>
  );
}

/** The import that the page's address names. */
export const importOf = ({ params, person }: SignedInVisit, deps: PortalDeps): Promise<ReadImport> =>
  requireImport(person.organisationId, { kind: undefined, importId: params["importId"] ?? "" }, deps);

export const cancelForm = defineForm(importPage, { subPath: "/cancel", access: "operate" }, async (visit, _, deps) => {
  const { view } = await importOf(visit, deps);
  const { importId } = view;
  const { organisationId, by } = visit.person;
  const now = await deps.organisations.now();
  await cancelImport(deps, { organisationId, importId, by, requestId: visit.requestId, now });
  return withNotice(importPath(importId), `${shownReference(view)} cancelled.`);
});

const maxWaitMs = 4_000;
/** How many events the linked history shows before the last event of that time. */
const earlierEventCount = 24n;

/** The import as it was at a given time, read from its event stream, because the tables have only its latest state. */
async function pastImport(visit: SignedInVisit, view: ImportView, asOf: Date, deps: PortalDeps) {
  const { organisationId } = visit.person;
  const { importId } = view;
  const [pastState, steps, nameOf] = await Promise.all([
    answerInTime(importAsOf(importId, asOf, deps.eventStore), maxWaitMs, "an import as of a time"),
    answerInTime(importTimeline(organisationId, view, deps.eventStore), maxWaitMs, "an import's history"),
    principalNames(organisationId, deps.pool),
  ]);
  if (!pastState) return <EmptyPanel label="Import" title="This import did not exist at that time" />;
  const { status, rows, rejected, revision } = pastState;
  const from = revision > earlierEventCount ? revision - earlierEventCount : 0n;
  return (
    <>
      <Panel id="as-it-was" title="As it was">
        <p class="status">
          <Badge state={statusBadge({ status, cancelling: false })} />
          <Link to={withQuery(`${importPath(importId)}/history`, { from: String(from) })}>History up to then</Link>
        </p>
        <Facts
          facts={[
            ["Rows checked", <Amount value={rows} />],
            ["Rejected", rejected === undefined ? "Too many to count here" : <Amount value={rejected} />],
          ]}
        />
      </Panel>
      <Timeline view={{ cancelling: false }} steps={steps.filter(({ recordedAt }) => recordedAt <= asOf)} nameOf={nameOf} />
    </>
  );
}
