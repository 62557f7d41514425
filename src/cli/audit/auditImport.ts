import { once } from "node:events";
import { tmpdir } from "node:os";
import { type AsOf, importHistory, type RecordedRow, readFollowUps } from "../../audit/history/importHistory.js";
import { importVerdict } from "../../audit/importVerdict.js";
import { fileFaults } from "../../audit/verify.js";
import { streamOf } from "../../events/streams.js";
import { CommandFault, print, printJson, visible } from "../outcome.js";
import { showProgress } from "../progress.js";
import type { CommandContext } from "../withStores.js";
import { historyJson, historyText } from "./auditImportText.js";
import { auditNames } from "./auditText.js";

interface ImportAuditOptions {
  readonly asOf: AsOf | undefined;
  readonly rows: boolean;
  readonly json: boolean;
}

export async function runImportAudit(context: CommandContext, importId: string, { asOf, rows, json }: ImportAuditOptions): Promise<void> {
  const { pool, eventStore, objectStore, signal } = context;
  process.stdout.once("error", () => process.exit()); // the reader of the pipe has closed it
  const last = await eventStore.last(streamOf.import(importId));
  const progress = showProgress("read");
  const onEvent = (revision: bigint) => {
    if (revision % 1_000n === 0n) progress.update({ events: Number(revision), share: Number(revision) / Number(last?.revision || 1n) });
  };
  const onRow = rows ? (outcome: RecordedRow) => writeLine(json ? rowJson(outcome) : visible(rowText(outcome))) : undefined;
  const history = await importHistory(importId, { eventStore, asOf, signal, onEvent, ...(onRow && { onRow }) }).finally(progress.stop);
  if (!history) throw new CommandFault(`There is no import ${importId}${asOf ? " as of then" : ""}`);
  const files = await fileFaults({ objectStore, tempDir: tmpdir() }, history);
  // The tables have only the present state, so a past one is not compared.
  const verdict = history.whole ? await importVerdict({ pool, eventStore, signal }, importId) : undefined;
  const corrections = await readFollowUps("corrections", importId, { eventStore, asOf, signal });
  const reversals = await readFollowUps("reversals", importId, { eventStore, asOf, signal });
  const nameOf = await auditNames(history.requested.data.organisationId, pool);
  const report = { history, files, corrections, reversals, verdict, nameOf };
  if (json) printJson(rows ? { summary: historyJson(report) } : historyJson(report), rows ? 0 : 2);
  else print(historyText(report));
  if (verdict?.verdict === "differs" || files.length > 0 || history.fold.faultCount > 0) process.exitCode = 1;
}

/** Waits until the pipe has taken the line, so that 900,000 rows do not fill the memory. */
async function writeLine(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, "drain");
}

function rowText(outcome: RecordedRow): string {
  const { row } = outcome.data;
  if (outcome.type === "RowRejected") return `row ${row}  rejected  ${outcome.data.error}`;
  return `row ${row}  accepted  ${JSON.stringify(outcome.data.values)}`;
}

function rowJson({ type, data, revision, recordedAt }: RecordedRow): string {
  return JSON.stringify({ revision: Number(revision), recordedAt, outcome: type === "RowAccepted" ? "accepted" : "rejected", ...data });
}
