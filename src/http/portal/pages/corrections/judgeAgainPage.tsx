import { hash, randomUUID } from "node:crypto";
import { RowsClosed } from "../../../../commands/corrections/openRows.js";
import { countFreePlaces } from "../../../../commands/imports/queue/places.js";
import { groupedBy } from "../../../../domain/groupedBy.js";
import { limits } from "../../../../domain/imports/limits.js";
import { Rejection } from "../../../../domain/rejection.js";
import { reasonInError } from "../../../../domain/rows/olderReasons.js";
import { type ImportKind, importKinds } from "../../../../events/importEvents.js";
import { chunksOfGroups } from "../../browser/corrections/rows.js";
import { defineForm, definePage, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { Form } from "../../shell/form.js";
import { clipText, countInWords } from "../../shell/formats.js";
import { Amount, EmptyPanel, EmptyState, Facts, Link, Panel, withQuery } from "../../shell/markup.js";
import { type Column, Table } from "../../shell/table.js";
import { currentCatalogue } from "../customers.js";
import { kindNames } from "../imports/importStatus.js";
import { sendCorrection } from "./correctionAnswers.js";
import { correctionsPath, correctionsPathOf, readShownRows, type ShownRow } from "./shownRows.js";
import { judgeAgainPath, UnknownCustomers } from "./unknownCustomers.js";

/** The cursor from which the rows of each kind are judged. A kind without a cursor is judged from its latest import on. */
type StartCursors = Readonly<Partial<Record<ImportKind, string>>>;

const rowsPerRead = 250;
/** The most shipments, and the most activities, that one page judges. */
export const maxJudgedRows = 1_000;

const judgeOpenRows = async (visit: SignedInVisit, deps: PortalDeps, startCursors: StartCursors) =>
  Promise.all(importKinds.map((kind) => judgeKind(visit, deps, kind, startCursors[kind])));

export type JudgedRows = Awaited<ReturnType<typeof judgeKind>>;

/** `accepted`: by shipment or activity, the rows that would be accepted now. `next`: the cursor of the rest; null if all were judged. */
async function judgeKind(visit: SignedInVisit, deps: PortalDeps, kind: ImportKind, from: string | undefined) {
  const filter = { kind, state: "open" } as const;
  const judged: ShownRow[] = [];
  let next: string | null = from ?? null;
  for (let rowsRead = 0; rowsRead < maxJudgedRows; rowsRead += rowsPerRead) {
    const page = await readShownRows(visit, filter, { limit: rowsPerRead, cursor: next ?? undefined }, deps);
    judged.push(...page.items);
    next = page.nextCursor;
    if (next === null) break;
  }
  // The lines of a shipment are corrected together.
  const groups = groupedBy(judged, (row) => `${row.importId} ${row.firstRow}`);
  return { kind, judged, accepted: [...groups.values()].filter(isAccepted), next };
}

const isAccepted = (group: readonly ShownRow[]): boolean =>
  group.length <= limits.rowsPerCorrection && group.every(({ verdictToday }) => verdictToday === null);

/** The most imports that one submission becomes, even if the queue has more free places. */
const maxNewImports = 20;

/**
 * Judges the rows again, because others may have changed something since the page was shown, and submits the accepted ones in batches. Each
 * batch has up to 500 rows of one import and becomes a new import. `takenRows` counts the rows of refused batches: somebody else had closed
 * some of their rows. `unsentRows` counts the rows that were not sent for the `unsentReason`.
 */
async function submitAccepted(visit: SignedInVisit, deps: PortalDeps, startCursors: StartCursors, key: string) {
  const kinds = await judgeOpenRows(visit, deps, startCursors);
  const batches = kinds.flatMap(({ accepted }) => chunksOfGroups(accepted, ({ importId }) => importId).map((groups) => groups.flat()));
  const free = await countFreePlaces(visit.person.organisationId, deps.maxQueuedImports, deps.pool);
  const maxBatches = Math.max(1, Math.min(free, maxNewImports)); // if no place is free, the queue refuses the first batch
  let [rows, imports, takenRows] = [0, 0, 0];
  for (const [index, batch] of batches.entries()) {
    const unsentRows = batches.slice(index).flat().length;
    if (index >= maxBatches) return { rows, imports, takenRows, unsentRows, unsentReason: "Check again when earlier imports have ended" };
    try {
      await visit.recheckAccess();
      const importId = batch[0]?.importId ?? "";
      const numbers = batch.map(({ row }) => row);
      const push = { rows: numbers.map((row) => ({ row, values: {} })) };
      await sendCorrection(visit, deps, { importId, push, idempotencyKey: idempotencyKeyOf(importId, numbers, key) });
      [rows, imports] = [rows + batch.length, imports + 1];
    } catch (error) {
      if (error instanceof RowsClosed) takenRows += batch.length;
      else if (error instanceof Rejection && imports > 0) return { rows, imports, takenRows, unsentRows, unsentReason: error.message };
      else throw error;
    }
  }
  return { rows, imports, takenRows, unsentRows: 0, unsentReason: undefined };
}

/** With the form's `key`, sending the form again makes no second import of the same rows. */
const idempotencyKeyOf = (importId: string, rows: readonly number[], key: string): string =>
  `judge-again-${hash("sha256", JSON.stringify([key, importId, rows]))}`;

/** Shows which open rows the catalogue would accept now, before anything is submitted. */
export const judgeAgainPage = definePage(judgeAgainPath, "operate", async (visit, deps) => {
  const startCursors = startCursorsIn((kind) => visit.query[kind] ?? "");
  const [kinds, { catalogueVersion }] = await Promise.all([judgeOpenRows(visit, deps, startCursors), currentCatalogue(visit, deps)]);
  const unfinished = kinds.filter(({ next }) => next !== null);
  return {
    title: "Check rejected rows again",
    crumbs: [["Rejected rows", correctionsPath]],
    body: (
      <>
        <p class="muted">Checked against version {catalogueVersion} of the catalogue. Nothing has been submitted yet.</p>
        <AcceptedRows kinds={kinds} startCursors={startCursors} />
        {unfinished.length === 0 ? null : (
          <p>
            At most {maxJudgedRows} shipments and {maxJudgedRows} activities are checked at a time.{" "}
            <Link to={withQuery(judgeAgainPath, Object.fromEntries(unfinished.map(({ kind, next }) => [kind, next ?? ""])))}>
              Check the next rows
            </Link>
          </p>
        )}
        <UnknownCustomers rows={kinds.flatMap(({ judged }) => judged)} />
      </>
    ),
  };
});

const startCursorsIn = (cursorOf: (kind: ImportKind) => string): StartCursors =>
  Object.fromEntries(importKinds.flatMap((kind) => (cursorOf(kind) === "" ? [] : [[kind, cursorOf(kind)]])));

function AcceptedRows({ kinds, startCursors }: { kinds: readonly JudgedRows[]; startCursors: StartCursors }) {
  const judged = kinds.flatMap((each) => each.judged).length;
  const rows = kinds.flatMap(({ accepted }) => accepted.flat()).length;
  if (judged === 0) return <EmptyPanel label="Open rows" title="No rejected rows to correct" />;
  return (
    <Panel id="accepted" title="Would be accepted now">
      <Facts
        class="figures"
        facts={[
          ["Rows checked", <Amount value={judged} />],
          ["Accepted now", <Amount value={rows} />],
          ["Still rejected", <Amount value={judged - rows} />],
        ]}
      />
      {rows === 0 ? (
        <EmptyState title="None of these rows would be accepted now">
          Correct them under Rejected rows, or add what is missing to the catalogue.
        </EmptyState>
      ) : (
        <>
          <Table caption="Rows that would be accepted now, by why they were rejected" columns={reasonColumns} rows={reasonsOf(kinds)} />
          <Form
            to={judgeAgainPath}
            hidden={{ key: randomUUID(), ...startCursors }}
            submit={`Submit ${countInWords(rows, "row")}`}
            cancel={correctionsPath}
          />
          <p class="hint">
            The rows are submitted unchanged. The rows of each import become a new import, or several if there are more than 500.
          </p>
        </>
      )}
    </Panel>
  );
}

/** Counts the rows accepted now by kind and by their old reason for rejection, the most frequent first. */
function reasonsOf(kinds: readonly JudgedRows[]) {
  const counts = kinds.flatMap(({ kind, accepted }) =>
    [...groupedBy(accepted.flat(), ({ error }) => reasonInError(error))].map(([reason, { length }]) => ({ kind, reason, rows: length })),
  );
  return counts.sort((a, b) => b.rows - a.rows).slice(0, maxReasons);
}

const maxReasons = 50;

const reasonColumns: readonly Column<ReturnType<typeof reasonsOf>[number]>[] = [
  { heading: "Rejected for", isRowHeader: true, value: ({ reason }) => clipText(reason) },
  { heading: "Kind", cell: ({ kind }) => <Link to={correctionsPathOf({ kind, state: "open" })}>{kindNames[kind]}</Link> },
  { heading: "Rows", number: true, value: ({ rows }) => rows },
];

export const judgeAgainForm = defineForm(judgeAgainPage, "", async (visit, fields, deps) => {
  const startCursors = startCursorsIn((kind) => fields.get(kind));
  const submitted = await submitAccepted(visit, deps, startCursors, fields.get("key").slice(0, 64));
  return { goTo: correctionsPath, notice: { kind: "done", lines: submissionInWords(submitted) } };
});

function submissionInWords({ rows, imports, takenRows, unsentRows, unsentReason }: Awaited<ReturnType<typeof submitAccepted>>): string[] {
  return [
    rows === 0
      ? "No rows were submitted: they are no longer open, or would still be rejected."
      : `${countInWords(rows, "row")} submitted in ${countInWords(imports, "new import")}. They leave this list as the import runs.`,
    takenRows > 0 &&
      `${countInWords(takenRows, "row was", "rows were")} left out, because some of them are no longer open. Check again for the rest.`,
    unsentRows > 0 && `${countInWords(unsentRows, "row is", "rows are")} not submitted and still open. ${unsentReason}.`,
  ].filter((line) => line !== false);
}
