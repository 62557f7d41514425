// Answers the grid's requests: pages of rows, verdicts on edited rows, the current state of rows, and submitting, dismissing and reopening.
import { z } from "zod";
import { dismissRows, reopenRows } from "../../../../commands/corrections/dismissRows.js";
import { judgeCorrections } from "../../../../commands/corrections/judgeCorrections.js";
import { type ClosedRow, RowsClosed } from "../../../../commands/corrections/openRows.js";
import { type Correction, requestCorrection } from "../../../../commands/corrections/requestCorrection.js";
import { readImportRequest } from "../../../../commands/imports/importStream.js";
import type { Catalogue } from "../../../../domain/catalogue/catalogue.js";
import { limits } from "../../../../domain/imports/limits.js";
import { type KnownCode, nearestCodes } from "../../../../domain/nearestCodes.js";
import type { NameOf } from "../../../../domain/principal.js";
import { correctionPush } from "../../../../domain/pushes/importPushes.js";
import { textSchema } from "../../../../domain/pushes/values.js";
import { importNotFound, Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import { checkInput } from "../../../../domain/validation.js";
import type { ImportRequested } from "../../../../events/importEvents.js";
import { activityChoices, maxChoices } from "../../../../queries/activities/activityCodes.js";
import { findImportRow } from "../../../../queries/imports/importView.js";
import { rejectedRowsAmong, rowsToCorrect } from "../../../../queries/lookUps/rejectedRows.js";
import { principalNames, versionAndClockOf } from "../../../../queries/organisations/organisations.js";
import { rejectedRowOutcomes } from "../../../../queries/rejectedRows/rowOutcomes.js";
import { sendAnswer } from "../../../server/requestMiddleware.js";
import { type AnswerDefinition, defineAnswer, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { currentCatalogue } from "../customers.js";
import { correctionsPath, readShownRows, requireRowFilter, servedPage, verdictOf } from "./shownRows.js";

/** The fields for which the grid suggests values that the organisation already uses. */
export const suggestedFields = ["customerId", "warehouseCode", "chargeCode"] as const;

const maxSuggestions = 8;
const maxTextLength = 200;

/** Suggests values for a cell, the most similar to the cell's text first. */
const suggestionsAnswer = defineAnswer(`${correctionsPath}/suggestions`, "look", async (visit, deps) => {
  const field = suggestedFields.find((each) => each === visit.query["field"]);
  if (field === undefined) throw new Rejection("invalid", `field must be one of ${suggestedFields.join(", ")}`);
  const text = (visit.query["text"] ?? "").slice(0, maxTextLength);
  const suggestions = nearestCodes(text, await knownCodes(field, visit, deps), maxSuggestions);
  return sendAnswer(visit.context, { status: 200, body: { suggestions } });
});

export const customerCodes = ({ customers }: Catalogue): KnownCode[] => [...customers].map(([value, { name }]) => ({ value, label: name }));

async function knownCodes(field: (typeof suggestedFields)[number], visit: SignedInVisit, deps: PortalDeps): Promise<Iterable<KnownCode>> {
  if (field === "customerId") {
    const { catalogue } = await currentCatalogue(visit, deps);
    return customerCodes(catalogue);
  }
  const { warehouseCodes, chargeCodes } = await activityChoices(visit.person.organisationId, deps.pool);
  return (field === "warehouseCode" ? warehouseCodes : chargeCodes).slice(0, maxChoices).map((value) => ({ value }));
}

/** How many activities, or shipments with all their lines, one answer has. */
const rowsPerPage = 250;
const maxReadBytes = 1024 * 1024;
const maxChangeBytes = 2 * 1024 * 1024;

const rowNumberSchema = z.int().min(1).max(2_147_483_647);
const importIdSchema = z.string().refine(isUuid, "must be the id of an import");
const rowList = <Row extends z.ZodType>(row: Row) => z.array(row).min(1).max(limits.rowsPerCorrection);
const onceFault = "must name each row once";
const areUnique = (rows: readonly number[]) => new Set(rows).size === rows.length;

/** The grid sends rows in the order of editing. This restores the order of the push: of two elements with one shipmentId the later wins. */
const sortRows = <Row extends { readonly row: number }>(rows: readonly Row[]): Row[] => rows.toSorted((one, other) => one.row - other.row);

interface PostOptions<Schema> {
  readonly schema: Schema;
  readonly access?: "look" | "operate";
  readonly maxBytes?: number;
  readonly status?: number;
}

/** Answers the grid's JSON with JSON. If rows are closed, the answer says who closed each of them, for the grid to show. */
const definePost = <Schema extends z.ZodType>(
  path: string,
  { schema, access = "operate", maxBytes = maxReadBytes, status = 200 }: PostOptions<Schema>,
  answer: (visit: SignedInVisit, deps: PortalDeps, body: z.output<Schema>) => Promise<unknown>,
): AnswerDefinition => ({
  path: `${correctionsPath}/${path}`,
  access,
  maxBytes,
  answer: async (visit, deps, body) => {
    const checked = checkInput(schema, body, "body");
    if (!checked.ok) throw new Rejection("invalid", "The body is not as described", checked.faults);
    try {
      return sendAnswer(visit.context, { status, body: await answer(visit, deps, checked.value) });
    } catch (error) {
      if (!(error instanceof RowsClosed)) throw error;
      const closed = await claimsOfRows(error.rows, await principalNames(visit.person.organisationId, deps.pool), deps);
      return sendAnswer(visit.context, { status: 409, body: { statusCode: 409, message: error.message, error: "Conflict", closed } });
    }
  },
});

const rowsAnswer = defineAnswer(`${correctionsPath}/rows`, "look", async (visit, deps) => {
  const { filter } = await requireRowFilter(visit, deps);
  const rows = await readShownRows(visit, filter, { limit: rowsPerPage, cursor: visit.query["cursor"] || undefined }, deps);
  return sendAnswer(visit.context, { status: 200, body: servedPage(rows) });
});

const changedRowsSchema = z.strictObject({
  importId: importIdSchema,
  rows: rowList(z.strictObject({ row: rowNumberSchema, values: z.record(z.string(), textSchema(limits.rejectedValueBytes)) }))
    .refine((rows) => areUnique(rows.map(({ row }) => row)), onceFault)
    .transform(sortRows),
});

/** Judges edited rows of one import as an import would now, and says which of them are no longer open. */
const judgeAnswer = definePost("judge", { schema: changedRowsSchema }, async (visit, deps, { importId, rows }) => {
  const { organisationId } = visit.person;
  const found = await findImportRow(organisationId, { kind: undefined, importId }, deps.pool);
  if (!found) throw importNotFound();
  const { kind, position } = found;
  const numbers = rows.map(({ row }) => row);
  const sentValues = await rowsToCorrect(position, numbers, deps.pool);
  const names = await rejectedRowsAmong(position, numbers, deps.pool);
  const { catalogue } = await currentCatalogue(visit, deps);
  const knownRows = rows.filter(({ row }) => sentValues.has(row));
  const verdicts = await judgeCorrections({ importId, kind, catalogue, sentValues, names, rows: knownRows }, deps);
  const rowIds = knownRows.map(({ row }) => ({ importId, row }));
  const outcomes = await rejectedRowOutcomes(organisationId, rowIds, deps.pool);
  return {
    verdicts: [...verdicts].map(([row, reason]) => ({ row, verdict: verdictOf(reason) })),
    closed: outcomes.filter(({ state }) => state !== "open"),
  };
});

const namedRowsSchema = z.strictObject({ rows: rowList(z.strictObject({ importId: importIdSchema, row: rowNumberSchema })) });

/** The current state of the rows on a person's screen. */
const statesAnswer = definePost("states", { schema: namedRowsSchema, access: "look" }, async ({ person }, { pool }, { rows }) => ({
  rows: await rejectedRowOutcomes(person.organisationId, rows, pool),
}));

const submissionSchema = z.strictObject({
  importId: importIdSchema,
  /** The page makes a key for each submission. */
  key: z.uuid(),
  rows: correctionPush.shape.rows.transform(sortRows),
});

const submitOptions = { schema: submissionSchema, maxBytes: maxChangeBytes, status: 202 };
const submitAnswer = definePost("submit", submitOptions, async (visit, deps, { importId, key, rows }) => {
  const correction = await sendCorrection(visit, deps, { importId, push: { rows }, idempotencyKey: key });
  return { importId: correction.importId, name: correction.sourceDetails };
});

const selectedRowsSchema = z.strictObject({
  importId: importIdSchema,
  rows: rowList(rowNumberSchema).refine(areUnique, onceFault),
  note: z.string().optional(),
});

type RowSelection = z.output<typeof selectedRowsSchema>;

/** Dismisses or reopens rows. Only a dismissal has a note. */
export async function changeRowStates(action: "dismiss" | "reopen", visit: SignedInVisit, deps: PortalDeps, selection: RowSelection) {
  const { organisationId, by } = visit.person;
  const { now } = await versionAndClockOf(organisationId, deps.pool);
  const change = { organisationId, by, requestId: visit.requestId, now, ...selection, note: selection.note?.trim() ?? "" };
  await (action === "dismiss" ? dismissRows(deps, change) : reopenRows(deps, change));
}

const stateAnswers = (["dismiss", "reopen"] as const).map((action) =>
  definePost(`rows/${action}`, { schema: selectedRowsSchema, maxBytes: maxChangeBytes }, async (visit, deps, selection) => {
    await changeRowStates(action, visit, deps, selection);
    return {};
  }),
);

/** Who closed each row. Reads the import that closed it from its stream, because the tables may lag behind. */
async function claimsOfRows(rows: readonly ClosedRow[], nameOf: NameOf, { eventStore }: PortalDeps) {
  const requests = new Map<string, ImportRequested | undefined>();
  for (const importId of new Set(rows.flatMap((row) => row.importId ?? [])))
    requests.set(importId, await readImportRequest(eventStore, importId));
  return rows.map(({ row, state, importId = null, by: person }) => {
    const request = requests.get(importId ?? "");
    const by = person ?? request?.by;
    return { row, state, otherId: importId, otherName: request?.sourceDetails ?? null, note: null, by: by ? nameOf(by) : null };
  });
}

export const correctionAnswers = [suggestionsAnswer, rowsAnswer, judgeAnswer, statesAnswer, submitAnswer, ...stateAnswers];

const maxSubmitMs = 4_500;

/** Submits corrected rows in the visitor's name. Idempotent: the same key again returns the same import. */
export async function sendCorrection(
  { person: { organisationId, by }, requestId }: SignedInVisit,
  deps: PortalDeps,
  correction: Pick<Correction, "importId" | "kind" | "push" | "idempotencyKey">,
) {
  const { catalogueVersion, now } = await versionAndClockOf(organisationId, deps.pool);
  return requestCorrection(deps, { organisationId, by, requestId, catalogueVersion, now, withinMs: maxSubmitMs, ...correction });
}
