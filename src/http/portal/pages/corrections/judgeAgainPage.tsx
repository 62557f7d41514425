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
import { clipped, countInWords } from "../../shell/formats.js";
import { Amount, EmptyPanel, EmptyState, Facts, Link, Panel, withQuery } from "../../shell/parts.js";
import { type Column, Table } from "../../shell/table.js";
import { presentCatalogue } from "../customers.js";
import { kindNames } from "../imports/importStatus.js";
import { sendCorrection } from "./correctionAnswers.js";
import { correctionsPath, correctionsPathOf, type ShownRow, shownRows } from "./shownRows.js";
import { judgeAgainPath, UnknownCustomers } from "./unknownCustomers.js";

/** Where the judging of each kind begins; a kind without a place begins with the latest import. */
type StartPlaces = Readonly<Partial<Record<ImportKind, string>>>;

const atOnce = 250;
/** Shipments or activities of each kind that one page judges. */
export const mostJudged = 1_000;

const judgeOpenRows = async (visit: SignedInVisit, deps: PortalDeps, places: StartPlaces) =>
  Promise.all(importKinds.map((kind) => judgeKind(visit, deps, kind, places[kind])));

export type JudgedRows = Awaited<ReturnType<typeof judgeKind>>;

/** `accepted`: whole shipments, or activities, that would be accepted now. `next`: where the next ones begin; null where all were judged. */
async function judgeKind(visit: SignedInVisit, deps: PortalDeps, kind: ImportKind, from: string | undefined) {
  const filter = { kind, state: "open" } as const;
  const judged: ShownRow[] = [];
  let next: string | null = from ?? null;
  for (let read = 0; read < mostJudged; read += atOnce) {
    const page = await shownRows(visit, filter, { limit: atOnce, cursor: next ?? undefined }, deps);
    judged.push(...page.items);
    next = page.nextCursor;
    if (next === null) break;
  }
  // The lines of a shipment are corrected together.
  const together = groupedBy(judged, (row) => `${row.importId} ${row.firstRow}`);
  return { kind, judged, accepted: [...together.values()].filter(isAccepted), next };
}

const isAccepted = (group: readonly ShownRow[]): boolean =>
  group.length <= limits.rowsPerCorrection && group.every(({ verdictToday }) => verdictToday === null);

/** The most imports that one submission becomes, however many places are free in the queue. */
const mostImports = 20;

/**
 * Judges again, since others may have changed something, and sends what is accepted: an import for each import, and for each 500 rows of it.
 * `taken`: rows that somebody else has taken meanwhile. `left`: rows that were not sent, `because` of that.
 */
async function submitAccepted(visit: SignedInVisit, deps: PortalDeps, places: StartPlaces, key: string) {
  const found = await judgeOpenRows(visit, deps, places);
  const batches = found.flatMap(({ accepted }) => chunksOfGroups(accepted, ({ importId }) => importId).map((groups) => groups.flat()));
  const free = await countFreePlaces(visit.person.organisationId, deps.maxQueuedImports, deps.pool);
  const sendable = Math.max(1, Math.min(free, mostImports)); // with none free the queue's own refusal says what to do
  let [rows, imports, taken] = [0, 0, 0];
  for (const [index, batch] of batches.entries()) {
    const left = batches.slice(index).flat().length;
    if (index >= sendable) return { rows, imports, taken, left, because: "Check again when earlier imports have ended" };
    try {
      await visit.recheckAccess();
      const importId = batch[0]?.importId ?? "";
      const numbers = batch.map(({ row }) => row);
      const push = { rows: numbers.map((row) => ({ row, values: {} })) };
      await sendCorrection(visit, deps, { importId, push, idempotencyKey: keyOf(importId, numbers, key) });
      [rows, imports] = [rows + batch.length, imports + 1];
    } catch (error) {
      if (error instanceof RowsClosed) taken += batch.length;
      else if (error instanceof Rejection && imports > 0) return { rows, imports, taken, left, because: error.message };
      else throw error;
    }
  }
  return { rows, imports, taken, left: 0, because: undefined };
}

/** `key` is the form's: sent again, it makes no second import of the same rows. */
const keyOf = (importId: string, rows: readonly number[], key: string): string =>
  `judge-again-${hash("sha256", JSON.stringify([key, importId, rows]))}`;

/** Which open rows the catalogue accepts now, before anything is sent. */
export const judgeAgainPage = definePage(judgeAgainPath, "operate", async (visit, deps) => {
  const places = placesIn((kind) => visit.query[kind] ?? "");
  const [found, { catalogueVersion }] = await Promise.all([judgeOpenRows(visit, deps, places), presentCatalogue(visit, deps)]);
  const more = found.filter(({ next }) => next !== null);
  return {
    title: "Check rejected rows again",
    crumbs: [["Rejected rows", correctionsPath]],
    body: (
      <>
        <p class="muted">Checked against version {catalogueVersion} of the catalogue. Nothing has been submitted yet.</p>
        <Accepted found={found} places={places} />
        {more.length === 0 ? null : (
          <p>
            At most {mostJudged} shipments and {mostJudged} activities are checked at a time.{" "}
            <Link to={withQuery(judgeAgainPath, Object.fromEntries(more.map(({ kind, next }) => [kind, next ?? ""])))}>
              Check the next rows
            </Link>
          </p>
        )}
        <UnknownCustomers rows={found.flatMap(({ judged }) => judged)} />
      </>
    ),
  };
});

const placesIn = (given: (kind: ImportKind) => string): StartPlaces =>
  Object.fromEntries(importKinds.flatMap((kind) => (given(kind) === "" ? [] : [[kind, given(kind)]])));

function Accepted({ found, places }: { found: readonly JudgedRows[]; places: StartPlaces }) {
  const judged = found.flatMap((each) => each.judged).length;
  const rows = found.flatMap(({ accepted }) => accepted.flat()).length;
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
          <Table caption="Rows that would be accepted now, by why they were rejected" columns={columns} rows={reasonsOf(found)} />
          <Form
            to={judgeAgainPath}
            hidden={{ key: randomUUID(), ...places }}
            submit={`Submit ${countInWords(rows, "row")}`}
            cancel={correctionsPath}
          />
          <p class="hint">The rows are submitted unchanged, in one new import for each import they came from.</p>
        </>
      )}
    </Panel>
  );
}

/** How many rows of each kind were rejected for each reason, the most first. */
function reasonsOf(found: readonly JudgedRows[]) {
  const counts = found.flatMap(({ kind, accepted }) =>
    [...groupedBy(accepted.flat(), ({ error }) => reasonInError(error))].map(([reason, { length }]) => ({ kind, reason, rows: length })),
  );
  return counts.sort((a, b) => b.rows - a.rows).slice(0, mostReasons);
}

const mostReasons = 50;

const columns: readonly Column<ReturnType<typeof reasonsOf>[number]>[] = [
  { heading: "Rejected for", names: true, value: ({ reason }) => clipped(reason) },
  { heading: "Kind", cell: ({ kind }) => <Link to={correctionsPathOf({ kind, state: "open" })}>{kindNames[kind]}</Link> },
  { heading: "Rows", number: true, value: ({ rows }) => rows },
];

export const judgeAgainForm = defineForm(judgeAgainPage, "", async (visit, fields, deps) => {
  const places = placesIn((kind) => fields.get(kind));
  const submitted = await submitAccepted(visit, deps, places, fields.get("key").slice(0, 64));
  return { goTo: correctionsPath, notice: { kind: "done", lines: inWords(submitted) } };
});

function inWords({ rows, imports, taken, left, because }: Awaited<ReturnType<typeof submitAccepted>>): string[] {
  return [
    rows === 0
      ? "No rows were submitted: they are no longer open, or would still be rejected."
      : `${countInWords(rows, "row")} submitted in ${countInWords(imports, "new import")}. They leave this list as the import runs.`,
    taken > 0 &&
      `${countInWords(taken, "row was", "rows were")} left out, because somebody else has submitted some of them. Check again for the rest.`,
    left > 0 && `${countInWords(left, "row is", "rows are")} not submitted and still open. ${because}.`,
  ].filter((line) => line !== false);
}
