// Submits the rows that are valid, shipments as a whole, and keeps the others. Each import that is corrected gets one new import, or several for
// more than 500 rows.
import { chunksOf, correctionOf } from "./judging.js";
import type { Row } from "./rows.js";
import { askServerAgain, isPassing, RequestRefused } from "./server.js";
import type { Sheet } from "./sheet.js";
import type { Grid } from "./view.js";

export interface SubmitOutcome {
  readonly sent: readonly (Sent & { readonly rows: number })[];
  /** Rows that another person has taken meanwhile. */
  readonly taken: number;
  readonly faults: readonly string[];
}

interface Sent {
  readonly importId: string;
  readonly name: string;
}

/** Of one request that changes something. */
export const mostBytes = 1_500_000;

/** Shipments, and activities, that are changed or selected and whose every row is ready. */
export const readyGroups = (sheet: Sheet): Row[][] =>
  sheet.groups(sheet.rows).filter((group) => group.some(({ changed, selected }) => changed.size > 0 || selected) && isReady(group));

const isReady = (group: readonly Row[]): boolean => group.every(({ verdict, closure }) => verdict === null && closure === undefined);

/** Idempotency keys. The same rows with the same values keep their key until the server has answered, so that sending them twice makes one import. */
const keys = new Map<string, string>();

/** `groups`: what the person has seen. Those that are not ready any more stay. */
export async function submit({ sheet, edits, settings }: Grid, groups: readonly Row[][]): Promise<SubmitOutcome> {
  const outcome = { sent: [] as (Sent & { rows: number })[], taken: 0, faults: [] as string[] };
  const waiting = chunksOf(groups.filter(isReady), mostBytes);
  for (let chunk = waiting.shift(); chunk; chunk = waiting.shift()) {
    const rows = chunk.flat();
    const from = rows[0]?.sent.importId ?? "";
    const lock = (sending: boolean) => {
      for (const row of rows) row.sending = sending;
      sheet.onChange();
    };
    try {
      lock(true);
      const { importId, name } = await send(`${settings.base}/submit`, from, rows);
      const closure = { state: "submitted", otherId: importId, otherName: name, by: "you", note: null };
      sheet.setClosures(rows.map((row) => [row, closure]));
      edits.forget(rows);
      outcome.sent.push({ importId, name, rows: rows.length });
    } catch (error) {
      if (!(error instanceof RequestRefused) || error.closed.length === 0) {
        outcome.faults.push(
          error instanceof RequestRefused ? error.message : "The server could not be reached. Your changes are kept: submit again.",
        );
        continue;
      }
      sheet.closeRowsOf(from, error.closed);
      outcome.taken += error.closed.length;
      const rest = chunk.filter((group) => group.every(({ closure }) => closure === undefined));
      if (rest.length > 0 && rest.length < chunk.length) waiting.unshift(rest);
    } finally {
      lock(false);
    }
  }
  return outcome;
}

async function send(address: string, importId: string, rows: readonly Row[]): Promise<Sent> {
  const content = { importId, rows: rows.map(correctionOf) };
  const name = JSON.stringify(content);
  const key = keys.get(name) ?? crypto.randomUUID();
  keys.set(name, key);
  try {
    const answer = await askServerAgain<Sent>(address, { ...content, key });
    keys.delete(name);
    return answer;
  } catch (error) {
    if (!isPassing(error)) keys.delete(name);
    throw error;
  }
}
