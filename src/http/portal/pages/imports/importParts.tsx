// The parts of an import's page. Read for the page, and once for all open pages when the status changes.
import type { Child } from "hono/jsx";
import type { NameOf } from "../../../../domain/principal.js";
import { type ImportReversal, importReversals } from "../../../../queries/imports/importReversals.js";
import type { ReadImport } from "../../../../queries/imports/importStatus.js";
import { importTimeline, type TimelineStep } from "../../../../queries/imports/importTimeline.js";
import { type CorrectingImport, correctingImports, type ImportView } from "../../../../queries/imports/importView.js";
import { principalNames } from "../../../../queries/organisations/organisations.js";
import type { Page } from "../../../../queries/page.js";
import { listRejectedRows, type RowWithState } from "../../../../queries/rejectedRows/rejectedRows.js";
import { countRejectedRows } from "../../../../queries/rejectedRows/rejectionGroups.js";
import { type RejectionReasons, rejectionReasons } from "../../../../queries/rejectedRows/rejectionReasons.js";
import { answerInTime } from "../../../server/answerInTime.js";
import type { Viewer } from "../../live/importFeed.js";
import type { PortalDeps } from "../../pageDefinition.js";
import { isUnfinished, rejectedSoFar } from "./importStatus.js";
import { ReasonsPlot, RejectedRows } from "./rejectedRows.js";
import { Reversals, shownReversals } from "./reversals.js";
import { type RowStates, StatusPart } from "./statusPart.js";
import { Timeline } from "./timeline.js";

export interface ImportParts {
  readonly view: ImportView;
  readonly steps: readonly TimelineStep[] | undefined;
  readonly nameOf: NameOf;
  readonly reasons: RejectionReasons;
  readonly rejected: Page<RowWithState>;
  readonly cursor: string | undefined;
  readonly correcting: readonly CorrectingImport[];
  readonly reversals: readonly ImportReversal[];
  /** The rejected rows by their states; undefined where there are none, or none yet. */
  readonly states: RowStates | undefined;
}

export type PartsDeps = Pick<PortalDeps, "pool" | "eventStore" | "signingSecret">;

const rowsPerPage = 25;
const noReasons: RejectionReasons = { reasons: [], others: 0, counted: 0 };
const noRows: Page<RowWithState> = { items: [], nextCursor: null };

export async function readParts(
  organisationId: string,
  { view }: ReadImport,
  cursor: string | undefined,
  deps: PartsDeps,
): Promise<ImportParts> {
  const { pool, eventStore, signingSecret } = deps;
  const { importId, kind } = view;
  const page = { limit: rowsPerPage, cursor, secret: signingSecret };
  const [completed, hasRejected] = [view.status === "completed", rejectedSoFar(view) > 0 || cursor !== undefined];
  const [steps, nameOf, reasons, rejected, correcting, reversals, states] = await Promise.all([
    answerInTime(importTimeline(organisationId, view, eventStore), historyMs, "an import's history").catch(() => undefined),
    principalNames(organisationId, pool),
    // While the import runs they would be counted later than the count beside them.
    hasRejected && !isUnfinished(view) ? rejectionReasons(organisationId, view, pool) : noReasons,
    hasRejected ? listRejectedRows(organisationId, { kind, importId }, page, pool) : noRows,
    completed ? correctingImports(organisationId, importId, pool) : [],
    view.reversed ? importReversals(organisationId, importId, { after: undefined, count: shownReversals + 1 }, pool) : [],
    statesOf(organisationId, view, deps),
  ]);
  return { view, steps, nameOf, reasons, rejected, cursor, correcting, reversals, states };
}

/** The time for reading the history. After it the page is shown without the history. */
const historyMs = 1_500;

async function statesOf(organisationId: string, view: ImportView, { pool }: PartsDeps): Promise<RowStates | undefined> {
  if (view.status !== "completed" || view.counts.failed === 0) return undefined;
  return (await countRejectedRows(organisationId, view.importId, pool))[view.kind];
}

/** Each part by the id that its markup begins with. */
export function partsOf(visit: Viewer, parts: ImportParts): Readonly<Record<string, Child>> {
  const { view, steps, nameOf, reasons, rejected, cursor } = parts;
  return {
    "import-status": <StatusPart visit={visit} view={view} states={parts.states} correcting={parts.correcting} />,
    "import-reversals": <Reversals visit={visit} view={view} reversals={parts.reversals} nameOf={nameOf} />,
    "import-timeline": <Timeline visit={visit} view={view} steps={steps} nameOf={nameOf} />,
    "import-reasons": <ReasonsPlot found={reasons} rejected={rejectedSoFar(view)} />,
    "import-rejected": <RejectedRows visit={visit} importId={view.importId} page={rejected} cursor={cursor} />,
  };
}
