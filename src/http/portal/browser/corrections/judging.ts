// Changed rows are judged by the server, which knows the importer's rules: a moment after the last change, some hundred rows at a time, one
// request after the other.
import { type ClosedRow, chunksOfGroups, type Row, rowsPerChunk, type Verdict } from "./rows.js";
import { askServer, RequestRefused } from "./server.js";
import type { Sheet } from "./sheet.js";
import type { CorrectionPage } from "./view.js";

const quietMs = 250;
const againMs = 3_000;
const mostBytes = 500_000;

interface Judgement {
  readonly verdicts: readonly { readonly row: number; readonly verdict: Verdict | null }[];
  readonly closed: readonly ClosedRow[];
}

export function judgeChanges(page: CorrectionPage): () => void {
  const { sheet, settings } = page;
  let timer: number | undefined;
  let isAsking = false;
  const later = (ms: number) => {
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
    /** The rows that were not changed since the request. A changed row waits for a newer verdict. */
    const unchanged = () => batch.filter((row, index) => row.version === versions[index]);
    let wait = 0;
    try {
      const { verdicts, closed } = await askServer<Judgement>(`${settings.base}/judge`, { importId, rows: batch.map(correctionOf) });
      const byRow = new Map(verdicts.map(({ row, verdict }) => [row, verdict]));
      for (const row of unchanged()) {
        const verdict = byRow.get(row.served.row);
        if (verdict !== undefined) sheet.judged(row, verdict);
        else sheet.unjudged.delete(row);
      }
      sheet.closeRowsOf(importId, closed);
    } catch (error) {
      page.say(error instanceof RequestRefused ? error.message : "The rows could not be checked. Trying again in a moment.");
      // What the server refuses for good is not asked again until it changes.
      if (error instanceof RequestRefused && error.status < 500 && error.status !== 429)
        for (const row of unchanged()) sheet.unjudged.delete(row);
      else wait = againMs;
    } finally {
      isAsking = false;
    }
    if (sheet.unjudged.size > 0) later(wait);
  };
  return () => {
    if (sheet.unjudged.size > 0 && !isAsking) later(quietMs);
  };
}

/** Rows of one import, whole shipments, as many as one request may have. */
function nextBatch(sheet: Sheet): Row[] {
  const open = sheet.groups(sheet.unjudged).map((group) => group.filter(({ closure }) => closure === undefined));
  const isTooLarge = ({ length }: readonly Row[]) => length > rowsPerChunk;
  for (const row of open.filter(isTooLarge).flat()) sheet.judged(row, { reason: tooManyLines, faulty: [] });
  const fitting = open.filter((group) => group.length > 0 && !isTooLarge(group));
  return requestsOf(fitting, mostBytes)[0]?.flat() ?? [];
}

const tooManyLines = `The shipment has more than ${rowsPerChunk} rejected lines. Download the error report and correct them there`;

const longest = 4_000;

/** What cannot be sent as text is left out; what is far too long is cut, and rejected as too long all the same. */
export const correctionOf = ({ served, changed }: Row) => ({
  row: served.row,
  values: Object.fromEntries([...changed].map(([field, value]) => [field, storable(value).slice(0, longest)])),
});

const storable = (text: string) => text.replaceAll(/\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

/** Requests of whole shipments, or activities, of at most so many bytes. In JSON a character may take two bytes. */
export const requestsOf = (groups: readonly Row[][], mostBytes: number): Row[][][] =>
  chunksOfGroups(
    groups,
    ({ served }) => served.importId,
    mostBytes,
    (row) => JSON.stringify(correctionOf(row)).length * 2,
  );
