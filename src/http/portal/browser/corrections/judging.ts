// Sends changed rows to the server, which judges them by the importer's rules. The first request starts a moment after the last change. The
// requests run one after the other, with at most `rowsPerChunk` rows each.
import { type ClosedRow, chunksOfGroups, type GridRow, rowsPerChunk, type Verdict } from "./rows.js";
import { askServer, RequestRefused } from "./server.js";
import type { Sheet } from "./sheet.js";
import type { CorrectionPage } from "./view.js";

const pauseMs = 250;
const retryMs = 3_000;
const maxBytes = 500_000;

interface Judgement {
  readonly verdicts: readonly { readonly row: number; readonly verdict: Verdict | null }[];
  readonly closed: readonly ClosedRow[];
}

export function judgeChanges(page: CorrectionPage): () => void {
  const { sheet, settings } = page;
  let timer: number | undefined;
  let isAsking = false;
  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void judge(), ms);
  };
  const judge = async () => {
    if (isAsking) return;
    const batch = nextBatch(sheet);
    const first = batch[0];
    if (!first) return;
    isAsking = true;
    const { importId } = first.served;
    const versions = batch.map(({ version }) => version);
    /** The rows that have not changed since they were sent. A changed row waits for a newer verdict. */
    const unchanged = () => batch.filter((row, index) => row.version === versions[index]);
    let delayMs = 0;
    try {
      const { verdicts, closed } = await askServer<Judgement>(`${settings.base}/judge`, { importId, rows: batch.map(correctionOf) });
      const byRow = new Map(verdicts.map(({ row, verdict }) => [row, verdict]));
      for (const row of unchanged()) {
        const verdict = byRow.get(row.served.row);
        if (verdict !== undefined) sheet.setVerdict(row, verdict);
        else sheet.unjudged.delete(row);
      }
      sheet.closeRowsOf(importId, closed);
    } catch (error) {
      page.say(error instanceof RequestRefused ? error.message : "The rows could not be checked. Trying again in a moment.");
      // After a permanent refusal the rows are judged again only when they change.
      if (error instanceof RequestRefused && error.status < 500 && error.status !== 429)
        for (const row of unchanged()) sheet.unjudged.delete(row);
      else delayMs = retryMs;
    } finally {
      isAsking = false;
    }
    if (sheet.unjudged.size > 0) schedule(delayMs);
  };
  return () => {
    if (sheet.unjudged.size > 0 && !isAsking) schedule(pauseMs);
  };
}

/** As many whole shipments, or activities, of one import as fit into a request. Rejects shipments that are too large for one. */
function nextBatch(sheet: Sheet): GridRow[] {
  const open = sheet.groupsOf(sheet.unjudged).map((group) => group.filter(({ closure }) => closure === undefined));
  const isTooLarge = ({ length }: readonly GridRow[]) => length > rowsPerChunk;
  for (const row of open.filter(isTooLarge).flat()) sheet.setVerdict(row, { reason: tooManyLines, faulty: [] });
  const fitting = open.filter((group) => group.length > 0 && !isTooLarge(group));
  return requestsOf(fitting, maxBytes)[0]?.flat() ?? [];
}

const tooManyLines = `The shipment has more than ${rowsPerChunk} rejected lines. Download the error report and correct them there`;

const maxValueLength = 4_000;

/** A row's changes for a request. Replaces characters that are not valid text. Cuts long values, which stay long enough to be rejected. */
export const correctionOf = ({ served, changed }: GridRow) => ({
  row: served.row,
  values: Object.fromEntries([...changed].map(([field, value]) => [field, storable(value).slice(0, maxValueLength)])),
});

const utf8 = new TextEncoder();
const storable = (text: string) => text.replaceAll(/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

/** Splits groups of rows into requests of about `maxBytes` at most. */
export const requestsOf = (groups: readonly GridRow[][], maxBytes: number): GridRow[][][] =>
  chunksOfGroups(
    groups,
    ({ served }) => served.importId,
    maxBytes,
    (row) => utf8.encode(JSON.stringify(correctionOf(row))).length,
  );
