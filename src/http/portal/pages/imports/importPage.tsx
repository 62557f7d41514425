import { cancelImport } from "../../../../commands/imports/endImport.js";
import type { ImportColumns } from "../../../../events/importEvents.js";
import { requestedEvent } from "../../../../events/importLayout.js";
import { type ReadImport, requireImport } from "../../../../queries/imports/importStatus.js";
import { importTimeline } from "../../../../queries/imports/importTimeline.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import { importAsOf } from "../../../../queries/streamSearch.js";
import { answerInTime } from "../../../server/answerInTime.js";
import {
  type FormDefinition,
  type PageDefinition,
  type PageHead,
  type PortalDeps,
  type SignedInVisit,
  withNotice,
} from "../../pageDefinition.js";
import { NoQuestion, Question } from "../../shell/form.js";
import { EmptyState, Facts, Panel } from "../../shell/panel.js";
import { Amount, ShortId } from "../../shell/values.js";
import { AsOf, timeIn } from "../asOf.js";
import { ColumnsOfImport } from "../upload/columns/chosenLine.js";
import { partsOf, readParts } from "./importParts.js";
import { importPath, importsPath, isUnfinished, Live, livePath, StatusBadge, shownReference } from "./importStatus.js";
import { earlierPush, PushInWords } from "./sameFile.js";
import { Timeline } from "./timeline.js";

export const importPage: PageDefinition<SignedInVisit> = {
  path: `${importsPath}/{importId}`,
  access: "look",
  show: async (visit, deps) => {
    const read = await importOf(visit, deps);
    const { view } = read;
    const asOf = timeIn(visit);
    const head: PageHead = {
      title: shownReference(view),
      crumbs: [["Imports", importsPath]],
      menu: [{ label: "History", to: visit.links.to(`${importPath(view.importId)}/history`) }],
    };
    const under = await ImportDetails({ visit, view, deps });
    const form = <AsOf visit={visit} path={importPath(view.importId)} asOf={asOf} />;
    if (asOf) {
      const was = await PastImport({ visit, view, asOf, deps });
      return {
        ...head,
        body: (
          <>
            {under}
            {form}
            {was}
          </>
        ),
      };
    }
    const parts = await readParts(visit.person.organisationId, read, visit.query["cursor"] || undefined, deps);
    const asks = visit.query["ask"] === "cancel" && isUnfinished(view) && visit.may("operate");
    return {
      ...head,
      scripts: ["live.js"],
      body: (
        <>
          {asks ? <CancelQuestion visit={visit} view={view} /> : <NoQuestion />}
          {under}
          <Live visit={visit} from={`${livePath}/${view.importId}`} isMoving={isUnfinished(view)} />
          {Object.values(partsOf(visit, parts))}
          {form}
        </>
      ),
    };
  },
};

async function ImportDetails({ visit, view, deps }: { visit: SignedInVisit; view: ImportView; deps: PortalDeps }) {
  const { organisationId } = visit.person;
  const earlier = view.sameFileAs === null ? undefined : await earlierPush(organisationId, view.sameFileAs, deps);
  const columns = view.source === "file" ? await columnsOf(deps, view.importId) : undefined;
  const nameOf = columns && (await principalNames(organisationId, deps.pool));
  return (
    <>
      <p class="under-heading">
        <span class="muted">
          Import <ShortId id={view.importId} about="the id of this import" />
        </span>
      </p>
      {earlier ? (
        <p class="notice warn">
          The same file as <PushInWords visit={visit} earlier={earlier} />.
        </p>
      ) : null}
      {columns && nameOf ? <ColumnsOfImport visit={visit} kind={view.kind} columns={columns} nameOf={nameOf} /> : null}
    </>
  );
}

/** Undefined for a file with our own headings, and where the event store does not answer. */
async function columnsOf({ eventStore }: PortalDeps, importId: string): Promise<ImportColumns | undefined> {
  const requested = answerInTime(requestedEvent(eventStore, importId), longestMs, "the first event of an import");
  return (await requested.catch(() => undefined))?.data.columns;
}

/** The import that the page's address names. */
export const importOf = ({ params, person }: SignedInVisit, deps: PortalDeps): Promise<ReadImport> =>
  requireImport(person.organisationId, { kind: undefined, importId: params["importId"] ?? "" }, deps);

function CancelQuestion({ visit, view }: { visit: SignedInVisit; view: ImportView }) {
  const path = importPath(view.importId);
  return (
    <Question visit={visit} title="Cancel this import?" to={`${path}/cancel`} back={path} label="Cancel import" keep="Keep it">
      <p>
        {view.status === "queued" ? (
          <>
            <strong>{shownReference(view)}</strong> has not started. Nothing of it will be recorded.
          </>
        ) : (
          <>
            <strong>{shownReference(view)}</strong> stops in a moment. None of its rows will be recorded. The rows checked so far stay in
            its history.
          </>
        )}{" "}
        If you need it later, upload the file again.
      </p>
    </Question>
  );
}

export const cancelForm: FormDefinition<SignedInVisit> = {
  path: `${importsPath}/{importId}/cancel`,
  access: "operate",
  page: importPage,
  submit: async (visit, _, deps) => {
    const { view } = await importOf(visit, deps);
    const { organisationId, by } = visit.person;
    const now = await deps.organisations.now();
    const cancelling = cancelImport(deps, { organisationId, importId: view.importId, by, requestId: visit.requestId, now });
    deps.live.imports.nudge(); // open pages of this import show the request at once
    await cancelling.finally(() => deps.live.imports.nudge());
    return withNotice(importPath(view.importId), `${shownReference(view)} cancelled.`);
  },
};

const longestMs = 4_000;
/** The link to the history begins this many events before the last event of that time. */
const eventsBefore = 24n;

/** The import as it was at a time: from its stream, since the tables have only the present. */
async function PastImport({ visit, view, asOf, deps }: { visit: SignedInVisit; view: ImportView; asOf: Date; deps: PortalDeps }) {
  const { organisationId } = visit.person;
  const { importId } = view;
  const [was, steps, nameOf] = await Promise.all([
    answerInTime(importAsOf(importId, asOf, deps.eventStore), longestMs, "an import as of a time"),
    answerInTime(importTimeline(organisationId, view, deps.eventStore), longestMs, "an import's history"),
    principalNames(organisationId, deps.pool),
  ]);
  if (!was)
    return (
      <section class="panel" aria-label="Import">
        <EmptyState title="This import did not exist at that time" />
      </section>
    );
  const { status, rows, rejected, revision } = was;
  const from = revision > eventsBefore ? revision - eventsBefore : 0n;
  return (
    <>
      <Panel id="as-it-was" title="As it was">
        <p class="status">
          <StatusBadge view={{ status, cancelling: false }} />
          <a href={visit.links.to(`${importPath(importId)}/history`, { from: String(from) })}>History up to then</a>
        </p>
        <Facts
          facts={[
            ["Rows checked", <Amount value={rows} />],
            ["Rejected", rejected === undefined ? "Too many to count here" : <Amount value={rejected} />],
          ]}
        />
      </Panel>
      <Timeline
        visit={visit}
        view={{ ...view, cancelling: false }}
        steps={steps.filter(({ recordedAt }) => recordedAt <= asOf)}
        nameOf={nameOf}
      />
    </>
  );
}
