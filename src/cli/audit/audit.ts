import { once } from "node:events";
import { tmpdir } from "node:os";
import type { Command } from "commander";
import { compareImport } from "../../audit/compareImport.js";
import { importHistory, type RecordedRow, readFollowUps } from "../../audit/history/importHistory.js";
import { deriveShipmentVersions } from "../../audit/history/shipmentVersions.js";
import { fileFaults } from "../../audit/verify.js";
import { isUuid } from "../../domain/uuid.js";
import { streamOf } from "../../events/streams.js";
import { explainQuote, organisationOfQuote } from "../../queries/quotes/explainQuote.js";
import { CommandFault, command, escapeControls, organisationCommands, print, printJson } from "../outcome.js";
import { showProgress } from "../progress.js";
import { withStores } from "../withStores.js";
import { importJson, importReportText } from "./auditImportText.js";
import { auditNames, quoteText, shipmentText, verificationJson, verificationText } from "./auditText.js";
import { verify } from "./verify.js";
import { logJson, logText, verifyLog } from "./verifyLog.js";

export function addCommands(audit: Command): void {
  const addForOrganisation = organisationCommands(audit);
  audit
    .command("import")
    .description("the whole story of an import: who pushed what and when, each phase, counts recounted, rejected rows by reason")
    .argument("<importId>", "as the push answered it")
    .option("--as-of <moment>", "an ISO 8601 time or a revision: the state as it was then")
    .option("--rows", "every row's outcome first, as it is read")
    .option("--json", "as JSON; with --rows one line per row, then one for the summary")
    .action(command(auditImport));
  audit
    .command("verify")
    .description(
      "replay all streams and compare every row of the tables, every stored file and a sample of the quotes; exit code 1 on any difference",
    )
    .option("--org <id>", "one organisation only")
    .option("--no-files", "leave the stored files unread")
    .option("--all-quotes", "derive every quote again from the catalogue of its day, not only a sample of them")
    .option("--json", "as JSON")
    .action(command(verifyStores));
  addForOrganisation(
    "shipment",
    "every version a shipment had, with the import, rows and key that wrote it, and which were reversed, when and why",
  )
    .argument("<shipmentId>", "as it was pushed")
    .option("--as-of <time>", "an ISO 8601 time: only what had been recorded by then")
    .option("--json", "as JSON")
    .action(command(auditShipment));
  addForOrganisation(
    "log",
    "what people, keys and the command line did, derived from the streams and compared with the log; exit code 1 on any difference",
  )
    .option("--from <time>", "an ISO 8601 time: only what was done from then on")
    .option("--to <time>", "an ISO 8601 time: only what was done before it")
    .option("--json", "as JSON")
    .action(command(auditLog));
  audit
    .command("quote")
    .description("derive a quote again, step by step, from the catalogue of its day; exit code 1 when a cent differs")
    .argument("<quoteId>")
    .option("--json", "as JSON: the recorded quote, each step as computed now, and the differences")
    .action(command(auditQuote));
}

async function auditImport(importId: string, { asOf: moment, rows, json }: { asOf?: string; rows?: boolean; json?: boolean }) {
  if (!isUuid(importId)) throw new CommandFault(`${importId} is not an import id`);
  const asOf = moment === undefined ? undefined : parseMoment(moment);
  await withStores(async ({ pool, eventStore, objectStore, signal }) => {
    process.stdout.once("error", () => process.exit()); // such as a closed pipe: `drain` would never come
    const last = await eventStore.last(streamOf.import(importId));
    const progress = showProgress("read");
    const onEvent = (revision: bigint) => {
      if (revision % 1000n === 0n) progress.update({ events: Number(revision), fraction: Number(revision) / Number(last?.revision || 1n) });
    };
    const onRow = rows ? (outcome: RecordedRow) => writeLine(json ? rowJson(outcome) : escapeControls(rowText(outcome))) : undefined;
    const history = await importHistory(importId, { eventStore, asOf, signal, onEvent, ...(onRow && { onRow }) }).finally(progress.stop);
    if (!history) throw new CommandFault(`There is no import ${importId}${asOf ? " as of then" : ""}`);
    const storedFileFaults = await fileFaults({ objectStore, tempDir: tmpdir() }, history);
    // The tables have only the present state, so a past state is not compared.
    const comparison = history.reachesEnd ? await compareImport({ pool, eventStore, signal }, importId) : undefined;
    const corrections = await readFollowUps("corrections", importId, { eventStore, asOf, signal });
    const reversals = await readFollowUps("reversals", importId, { eventStore, asOf, signal });
    const nameOf = await auditNames(history.requested.data.organisationId, pool);
    const report = { history, fileFaults: storedFileFaults, corrections, reversals, comparison, nameOf };
    if (json) printJson(rows ? { summary: importJson(report) } : importJson(report), rows ? 0 : 2);
    else print(importReportText(report));
    if (comparison?.verdict === "differs" || storedFileFaults.length > 0 || history.fold.faultCount > 0) process.exitCode = 1;
  });
}

/** Waits until the pipe has taken the line, so that the lines of a large import do not pile up in memory. */
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

/** A number is a revision; anything else must be a time with a zone. */
function parseMoment(text: string): { revision: bigint } | { time: Date } {
  return /^\d{1,18}$/.test(text) ? { revision: BigInt(text) } : { time: parseTime(text, "neither a revision nor") };
}

function parseTime(text: string, negation = "not"): Date {
  const time = new Date(text);
  const isComplete = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/.test(text);
  if (!isComplete || Number.isNaN(time.getTime()))
    throw new CommandFault(`${text} is ${negation} a time with a zone such as 2026-03-01T09:30:00Z`);
  return time;
}

async function verifyStores({ org, files, allQuotes, json }: { org?: string; files: boolean; allQuotes?: boolean; json?: boolean }) {
  const verification = await withStores(async ({ pool, eventStore, objectStore, signal }) => {
    const progress = showProgress("verify");
    const stores = { pool, eventStore, objectStore, signal, tempDir: tmpdir() };
    const options = { ...stores, organisationId: org, files, allQuotes: allQuotes === true, onProgress: progress.update };
    const verified = await verify(options).finally(progress.stop);
    // A misspelt id must not look like an organisation without differences. The check reads the stream, since the tables may be wrong.
    const hasData = org === undefined || verified.imports > 0 || verified.quotes.quotes > 0 || verified.findings.count > 0;
    if (!hasData && !(await eventStore.last(streamOf.organisation(org)))) throw new CommandFault(`There is no organisation ${org}`);
    return verified;
  });
  if (json) printJson(verificationJson(verification));
  else print(verificationText(verification));
  if (verification.findings.count > 0) process.exitCode = 1;
}

async function auditShipment(shipmentId: string, { org, asOf, json }: { org: string; asOf?: string; json?: boolean }): Promise<void> {
  const time = asOf === undefined ? undefined : parseTime(asOf);
  const { versions, nameOf } = await withStores(async ({ pool, eventStore, signal }) => {
    const progress = showProgress("search");
    const query = { eventStore, organisationId: org, shipmentId, asOf: time, signal, onProgress: progress.update };
    const found = await deriveShipmentVersions(query).finally(progress.stop);
    return { versions: found, nameOf: await auditNames(org, pool) };
  });
  if (versions.length === 0)
    throw new CommandFault(`No completed import of ${org} has written a shipment ${shipmentId}${asOf ? " by then" : ""}`);
  if (json) printJson(versions);
  else print(shipmentText(shipmentId, versions, nameOf));
}

async function auditLog({ org, from, to, json }: { org: string; from?: string; to?: string; json?: boolean }): Promise<void> {
  const range = { from: from === undefined ? undefined : parseTime(from), to: to === undefined ? undefined : parseTime(to) };
  if (range.from && range.to && range.from > range.to) throw new CommandFault("--from must not be after --to");
  const verified = await withStores(async ({ pool, eventStore, signal }) => {
    if (!(await eventStore.last(streamOf.organisation(org)))) throw new CommandFault(`There is no organisation ${org}`);
    const progress = showProgress("log");
    const options = { pool, eventStore, signal, organisationId: org, ...range, onProgress: progress.update };
    return verifyLog(options).finally(progress.stop);
  });
  if (json) printJson(logJson(verified));
  else print(logText(verified));
  if (verified.findings.count > 0) process.exitCode = 1;
}

async function auditQuote(quoteId: string, { json }: { json?: boolean }): Promise<void> {
  const { explained, nameOf } = await withStores(async (stores) => {
    const organisationId = await organisationOfQuote(quoteId, stores);
    const found = organisationId === undefined ? undefined : await explainQuote(organisationId, quoteId, stores);
    if (found === undefined) throw new CommandFault(`There is no quote ${quoteId}`);
    return { explained: found, nameOf: await auditNames(found.organisationId, stores.pool) };
  });
  const { agrees } = explained.explanation;
  if (json) printJson({ agrees, ...explained });
  else print(quoteText(explained, nameOf));
  if (!agrees) throw new CommandFault("The quote is not computed now as it was recorded");
}
