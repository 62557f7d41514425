// The rows of a checked file that would be rejected, as a workbook like an error report. The file is judged once more: only it was kept.
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { KeptFile } from "../../../../commands/imports/keptFiles.js";
import { download, type Pieces } from "../../downloads.js";
import { pageLeft } from "../../lines.js";
import type { AnswerDefinition, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { redirect } from "../../pageResponse.js";
import { tableFormats } from "../../tableDownloads.js";
import { importPath } from "../imports/importStatus.js";
import { type DraftCopy, fetchDraftCopy, requireDraft } from "./drafts.js";
import { checkDraft } from "./judgeDraft.js";
import { problemRowsPath } from "./paths.js";

/** Without the name of the file: an import's id in it would make the workbook a correction of that import. */
const name = "problem-rows.xlsx";

export const problemRowsAnswer: AnswerDefinition<SignedInVisit> = {
  method: "GET",
  path: problemRowsPath(),
  access: "operate",
  answer: async (visit, deps) => {
    const draft = await requireDraft(visit, deps);
    // The import has an error report of its own.
    if (draft.importId) return redirect(visit.context, visit.links.to(importPath(draft.importId)), 302);
    return download(visit, deps.downloads, { name, contentType: tableFormats.xlsx, pieces: () => piecesOf(visit, deps, draft) });
  },
};

async function* piecesOf(visit: SignedInVisit, deps: PortalDeps, draft: KeptFile): Pieces {
  const leave = deps.fileChecks.enter(visit.person.memberId);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, pageLeft(visit.context).signal, deps.closing]);
  let copy: DraftCopy | undefined;
  let judging: Promise<unknown> | undefined;
  try {
    copy = await fetchDraftCopy(deps, draft);
    const rejectedTo = join(copy.folder, "rejected.xlsx");
    const judge = { columns: draft.checked?.columns, rejectedTo };
    judging = checkDraft(visit, deps, { draft, copy, read: false, judge }, () => undefined, signal).finally(leave);
    yield ""; // the download begins: its process may wait for others, or start slowly, for longer than an answer is waited for
    yield* growing(rejectedTo, judging, signal);
  } finally {
    stop.abort(new Error("the download has ended"));
    await judging?.catch(() => undefined); // its process writes to the folder
    leave();
    if (copy) await rm(copy.folder, { recursive: true, force: true });
  }
}

const pieceBytes = 64 * 1024;
const lookMs = 50;

/** The file as it is written, up to its end: `written` settles when it is complete. */
async function* growing(path: string, written: Promise<unknown>, signal: AbortSignal): Pieces {
  let isWritten = false;
  const whenWritten = written.then(() => {
    isWritten = true;
  });
  whenWritten.catch(() => undefined);
  const more = () => Promise.race([whenWritten, pause(lookMs, undefined, { signal })]);
  let file: Awaited<ReturnType<typeof open>> | undefined;
  try {
    for (;;) {
      const isLast = isWritten; // before the reading: what is written meanwhile is read the next time
      file ??= await open(path).catch(() => undefined);
      const buffer = Buffer.allocUnsafe(pieceBytes);
      const { bytesRead } = (await file?.read(buffer, 0, pieceBytes)) ?? { bytesRead: 0 };
      if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
      else if (isLast) return;
      else await more();
    }
  } finally {
    await file?.close();
  }
}
