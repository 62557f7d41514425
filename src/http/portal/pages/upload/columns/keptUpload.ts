// What is done with a file whose columns are chosen: it is checked, or it becomes an import.
import { rm } from "node:fs/promises";
import { type Deadline, deadlineIn } from "../../../../../commands/deadline.js";
import { acceptFile } from "../../../../../commands/imports/acceptFile.js";
import { importOfKey } from "../../../../../commands/imports/importStream.js";
import { type KeptFile, releaseFile, rememberCheck } from "../../../../../commands/imports/keptFiles.js";
import { rejectWhenFull } from "../../../../../commands/imports/queue/places.js";
import { rememberColumns } from "../../../../../commands/organisations/rememberColumns.js";
import { type ColumnChoice, isSameChoice, plainChoice } from "../../../../../domain/imports/columns/choice.js";
import { Rejection } from "../../../../../domain/rejection.js";
import type { ImportColumns, ImportRequested } from "../../../../../events/importEvents.js";
import { presentOf } from "../../../../../queries/organisations/organisations.js";
import type { Line } from "../../../lines.js";
import { originOf, type PortalDeps, type SignedInVisit } from "../../../page.js";
import type { EarlierPush } from "../../imports/sameFile.js";
import { fetchFile, keyOfKept } from "../fetchKept.js";
import { prepareToJudge } from "../judgeUpload.js";
import type { Outcome } from "../outcomes.js";
import { sentBefore, toAskAbout } from "../sameUpload.js";

interface Chosen {
  readonly kept: KeptFile;
  readonly choice: ColumnChoice;
  readonly remembered: ImportColumns | undefined;
}

/** As for other uploads: all store calls together. */
const withinMs = 4_200;

/** Fetches the file for `work`, once at a time for each member, and removes the copy afterwards. */
async function withFile<Result>(
  { person: { memberId } }: SignedInVisit,
  deps: PortalDeps,
  kept: KeptFile,
  work: (copy: { readonly folder: string; readonly path: string }) => Promise<Result>,
): Promise<Result> {
  const leave = deps.fileChecks.enter(memberId);
  let copy: Awaited<ReturnType<typeof fetchFile>> | undefined;
  try {
    copy = await fetchFile(deps, kept);
    return await work(copy);
  } finally {
    leave();
    if (copy) await rm(copy.folder, { recursive: true, force: true });
  }
}

/** Judges every row of the file as its import would, and records nothing. */
export async function checkKept(
  visit: SignedInVisit,
  deps: PortalDeps,
  { kept, choice, remembered }: Chosen,
  send: (line: Line) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const { kind, columns, file } = kept;
  const { name, format, sha256 } = file;
  const earlier = await sentBefore(visit, deps, { kind, upload: { sha256 } });
  return withFile(visit, deps, kept, async (copy) => {
    const form = { kind, upload: { ...copy, name } };
    const judge = await prepareToJudge(visit, deps, { form, header: { columns, format }, columns: choice });
    const judged = await judge(send, signal);
    const { by, organisationId } = visit.person;
    const { now } = await presentOf(organisationId, deps.pool);
    await rememberCheck(deps.pool, kept, { take: "", columns: columnsFor({ choice, remembered }, by, now) });
    return { visit, name, kind, ...judged, reported: undefined, isWithdrawn: false, ofUnknown: false, earlier, fileId: kept.fileId };
  });
}

/** The import that the file has become, or the earlier one of which the person has to be told first. */
export async function uploadKept(
  visit: SignedInVisit,
  deps: PortalDeps,
  chosen: Chosen & { readonly again: string },
): Promise<{ readonly importId: string } | { readonly earlier: EarlierPush }> {
  const { kept, again } = chosen;
  const { organisationId } = visit.person;
  const { kind, file } = kept;
  const { now } = await presentOf(organisationId, deps.pool);
  const idempotencyKey = keyOfKept(kept);
  const use = { organisationId, idempotencyKey, now };
  const { maxQueuedImports } = deps.limits;
  await rejectWhenFull({ ...deps, maxQueuedImports }, { ...use, withinMs });
  try {
    return await withFile(visit, deps, kept, async ({ path }) => {
      const deadline = deadlineIn(withinMs);
      const earlier = await toAskAbout(visit, deps, { kind, again, idempotencyKey, upload: { sha256: file.sha256 } }, deadline);
      if (earlier) return { earlier };
      return release(visit, deps, chosen, await accept(visit, deps, { ...chosen, path, idempotencyKey, deadline }));
    });
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    // Another request may have made the import, with another choice, or removed the kept file meanwhile.
    const { earlier: made } = await deadlineIn(withinMs).within("event store", importOfKey(deps.eventStore, use));
    if (!made) throw error;
    return release(visit, deps, chosen, made);
  }
}

/** Ends the wait of a file whose import is recorded, also for a request that was killed before it could. */
async function release(visit: SignedInVisit, deps: PortalDeps, { kept, remembered }: Chosen, { importId, columns }: ImportRequested) {
  const { organisationId, kind } = kept;
  const isNewer = columns && (!remembered || remembered.at < columns.at);
  if (isNewer) await rememberColumns(deps.organisations, { organisationId, kind, choice: columns }, originOf(visit));
  await releaseFile(deps, kept, importId);
  return { importId };
}

interface Accepted extends Chosen {
  readonly path: string;
  readonly idempotencyKey: string;
  readonly deadline: Deadline;
}

async function accept(visit: SignedInVisit, deps: PortalDeps, accepted: Accepted): Promise<ImportRequested> {
  const { kept, choice, remembered, path, idempotencyKey, deadline } = accepted;
  const { organisationId, by } = visit.person;
  const { kind, sourceDetails, columns: header } = kept;
  const { name, format, size, sha256 } = kept.file;
  const { catalogueVersion, now } = await presentOf(organisationId, deps.pool);
  return acceptFile(
    { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
    {
      ...{ organisationId, kind, by, sourceDetails, idempotencyKey, now, catalogueVersion, withinMs: deadline.leftMs() },
      columns: columnsFor({ choice, remembered }, by, now),
      header: { columns: header, format, notes: [] },
      requestId: visit.requestId,
      file: { path, name, size, sha256 },
    },
  );
}

/** As the import records it: by whom it was chosen before, where it is the same. */
const columnsFor = ({ choice, remembered }: Omit<Chosen, "kept">, by: ImportColumns["by"], now: Date): ImportColumns =>
  withChooser(choice, remembered && isSameChoice(remembered, choice) ? remembered : { by, at: now.toISOString() });

/** In the order of the file's columns, which the database does not keep. */
const withChooser = (choice: ColumnChoice, { by, at }: Pick<ImportColumns, "by" | "at">): ImportColumns => ({
  ...plainChoice(choice),
  by,
  at,
});
