// What the grid sends for: pages of rows, verdicts on changed rows, the present state of rows; and what people do with rows: submit, dismiss, reopen.
import { z } from "zod";
import { dismissRows, reopenRows } from "../../../../commands/corrections/dismissRows.js";
import { judgeCorrections } from "../../../../commands/corrections/judgeCorrections.js";
import { type ClosedRow, RowsClosed } from "../../../../commands/corrections/openRows.js";
import { type Correction, requestCorrection } from "../../../../commands/corrections/requestCorrection.js";
import { firstRequest } from "../../../../commands/imports/importStream.js";
import type { Catalogue } from "../../../../domain/catalogue/catalogue.js";
import { limits } from "../../../../domain/imports/limits.js";
import { type KnownCode, nearestCodes } from "../../../../domain/nearestCodes.js";
import type { NameOf } from "../../../../domain/principal.js";
import { correctionPush } from "../../../../domain/pushes/importPushes.js";
import { text } from "../../../../domain/pushes/values.js";
import { noImport, Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import { check } from "../../../../domain/validation.js";
import type { ImportRequested } from "../../../../events/importEvents.js";
import { activityChoices, mostChoices } from "../../../../queries/activities/activityCodes.js";
import { findImportRow } from "../../../../queries/imports/importView.js";
import { rejectedRowsAmong, rowsToCorrect } from "../../../../queries/lookUps/rejectedRows.js";
import { principalNames, versionAndClockOf } from "../../../../queries/organisations/organisations.js";
import { rejectedRowOutcomes } from "../../../../queries/rejectedRows/rowOutcomes.js";
import { send } from "../../../server/aroundRequest.js";
import { type AnswerDefinition, defineAnswer, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { presentCatalogue } from "../customers.js";
import { correctionsPath, filterIn, servedPage, shownRows, verdictOf } from "./shownRows.js";

/** The fields whose values the organisation knows. */
export const suggestedFields = ["customerId", "warehouseCode", "chargeCode"] as const;

const mostSuggestions = 8;
const longestText = 200;

/** Known values for a cell: those near its text first, then others. */
const suggestionsAnswer = defineAnswer(`${correctionsPath}/suggestions`, "look", async (visit, deps) => {
  const field = suggestedFields.find((each) => each === visit.query["field"]);
  if (field === undefined) throw new Rejection("invalid", `field must be one of ${suggestedFields.join(", ")}`);
  const text = (visit.query["text"] ?? "").slice(0, longestText);
  const suggestions = nearestCodes(text, await knownFor(field, visit, deps), mostSuggestions);
  return send(visit.context, { status: 200, body: { suggestions } });
});

export const knownCustomers = ({ customers }: Catalogue): KnownCode[] =>
  [...customers].map(([value, { name }]) => ({ value, label: name }));

async function knownFor(field: (typeof suggestedFields)[number], visit: SignedInVisit, deps: PortalDeps): Promise<Iterable<KnownCode>> {
  if (field === "customerId") {
    const { catalogue } = await presentCatalogue(visit, deps);
    return knownCustomers(catalogue);
  }
  const { warehouseCodes, chargeCodes } = await activityChoices(visit.person.organisationId, deps.pool);
  return (field === "warehouseCode" ? warehouseCodes : chargeCodes).slice(0, mostChoices).map((value) => ({ value }));
}

/** Rows, or shipments, of one page. */
const rowsPerPage = 250;
const readBytes = 1024 * 1024;
const changeBytes = 2 * 1024 * 1024;

const rowNumber = z.int().min(1).max(2_147_483_647);
const importName = z.string().refine(isUuid, "must be the id of an import");
const someRows = <Row extends z.ZodType>(row: Row) => z.array(row).min(1).max(limits.rowsPerCorrection);
const once = "must name each row once";
const isOnce = (rows: readonly number[]) => new Set(rows).size === rows.length;

/** A person edits rows in any order. Of two elements with one shipmentId the later wins, so each stands where it stood in the push. */
const inOrder = <Row extends { readonly row: number }>(rows: readonly Row[]): Row[] => rows.toSorted((one, other) => one.row - other.row);

interface PostOptions<Schema> {
  readonly schema: Schema;
  readonly access?: "look" | "operate";
  readonly mostBytes?: number;
  readonly status?: number;
}

/** Answers the grid's JSON with JSON. A closed row is answered with who has it, so that the page can say so in the row. */
const definePost = <Schema extends z.ZodType>(
  path: string,
  { schema, access = "operate", mostBytes = readBytes, status = 200 }: PostOptions<Schema>,
  answer: (visit: SignedInVisit, deps: PortalDeps, body: z.output<Schema>) => Promise<unknown>,
): AnswerDefinition => ({
  path: `${correctionsPath}/${path}`,
  access,
  mostBytes,
  answer: async (visit, deps, body) => {
    const found = check(schema, body, "body");
    if (!found.ok) throw new Rejection("invalid", "The body is not as described", found.faults);
    try {
      return send(visit.context, { status, body: await answer(visit, deps, found.value) });
    } catch (error) {
      if (!(error instanceof RowsClosed)) throw error;
      const closed = await claimsOfRows(error.rows, await principalNames(visit.person.organisationId, deps.pool), deps);
      return send(visit.context, { status: 409, body: { statusCode: 409, message: error.message, error: "Conflict", closed } });
    }
  },
});

const rowsAnswer = defineAnswer(`${correctionsPath}/rows`, "look", async (visit, deps) => {
  const { filter } = await filterIn(visit, deps);
  const rows = await shownRows(visit, filter, { limit: rowsPerPage, cursor: visit.query["cursor"] || undefined }, deps);
  return send(visit.context, { status: 200, body: servedPage(rows) });
});

const changedRows = z.strictObject({
  importId: importName,
  rows: someRows(z.strictObject({ row: rowNumber, values: z.record(z.string(), text(limits.rejectedValueBytes)) }))
    .refine((rows) => isOnce(rows.map(({ row }) => row)), once)
    .transform(inOrder),
});

/** Changed rows of one import, judged as the importer would judge them now, and who has taken one of them meanwhile. */
const judgeAnswer = definePost("judge", { schema: changedRows }, async (visit, deps, { importId, rows }) => {
  const { organisationId } = visit.person;
  const found = await findImportRow(organisationId, { kind: undefined, importId }, deps.pool);
  if (!found) throw noImport();
  const { kind, position } = found;
  const numbers = rows.map(({ row }) => row);
  const earlier = await rowsToCorrect(position, numbers, deps.pool);
  const names = await rejectedRowsAmong(position, numbers, deps.pool);
  const { catalogue } = await presentCatalogue(visit, deps);
  const known = rows.filter(({ row }) => earlier.has(row));
  const verdicts = await judgeCorrections({ importId, kind, catalogue, earlier, names, rows: known }, deps);
  const named = known.map(({ row }) => ({ importId, row }));
  const outcomes = await rejectedRowOutcomes(organisationId, named, deps.pool);
  return {
    verdicts: [...verdicts].map(([row, reason]) => ({ row, verdict: verdictOf(reason) })),
    closed: outcomes.filter(({ state }) => state !== "open"),
  };
});

const namedRows = z.strictObject({ rows: someRows(z.strictObject({ importId: importName, row: rowNumber })) });

/** The present state of rows that a person has on the screen. */
const statesAnswer = definePost("states", { schema: namedRows, access: "look" }, async ({ person }, { pool }, { rows }) => ({
  rows: await rejectedRowOutcomes(person.organisationId, rows, pool),
}));

const submission = z.strictObject({
  importId: importName,
  /** Made by the page, once for each submission. */
  key: z.uuid(),
  rows: correctionPush.shape.rows.transform(inOrder),
});

const submitOptions = { schema: submission, mostBytes: changeBytes, status: 202 };
const submitAnswer = definePost("submit", submitOptions, async (visit, deps, { importId, key, rows }) => {
  const correction = await sendCorrection(visit, deps, { importId, push: { rows }, idempotencyKey: key });
  return { importId: correction.importId, name: correction.sourceDetails };
});

const chosenRows = z.strictObject({
  importId: importName,
  rows: someRows(rowNumber).refine(isOnce, once),
  note: z.string().optional(),
});

/** `note`: of a dismissal. */
export async function changeRows(what: "dismiss" | "reopen", visit: SignedInVisit, deps: PortalDeps, chosen: z.output<typeof chosenRows>) {
  const { organisationId, by } = visit.person;
  const { now } = await versionAndClockOf(organisationId, deps.pool);
  const change = { organisationId, by, requestId: visit.requestId, now, ...chosen, note: chosen.note?.trim() ?? "" };
  await (what === "dismiss" ? dismissRows(deps, change) : reopenRows(deps, change));
}

const stateAnswers = (["dismiss", "reopen"] as const).map((what) =>
  definePost(`rows/${what}`, { schema: chosenRows, mostBytes: changeBytes }, async (visit, deps, chosen) => {
    await changeRows(what, visit, deps, chosen);
    return {};
  }),
);

/** Who has each row, from the streams, since the tables may not have it yet. */
async function claimsOfRows(rows: readonly ClosedRow[], nameOf: NameOf, { eventStore }: PortalDeps) {
  const others = new Map<string, ImportRequested | undefined>();
  for (const importId of new Set(rows.flatMap((row) => row.importId ?? []))) others.set(importId, await firstRequest(eventStore, importId));
  return rows.map(({ row, state, importId = null, by: person }) => {
    const other = others.get(importId ?? "");
    const by = person ?? other?.by;
    return { row, state, otherId: importId, otherName: other?.sourceDetails ?? null, note: null, by: by ? nameOf(by) : null };
  });
}

export const correctionAnswers = [suggestionsAnswer, rowsAnswer, judgeAnswer, statesAnswer, submitAnswer, ...stateAnswers];

const withinMs = 4_500;

/** Sends corrected rows as the person who visits. Sent again with the same key, they make no second import. */
export async function sendCorrection(
  { person: { organisationId, by }, requestId }: SignedInVisit,
  deps: PortalDeps,
  correction: Pick<Correction, "importId" | "kind" | "push" | "idempotencyKey">,
) {
  const { catalogueVersion, now } = await versionAndClockOf(organisationId, deps.pool);
  const own = { organisationId, by, requestId, catalogueVersion, now, withinMs };
  return requestCorrection(deps, { ...own, ...correction });
}
