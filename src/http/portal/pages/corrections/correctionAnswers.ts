// What the grid sends for: pages of rows, verdicts on changed rows, the present state of rows; and what people do with rows: submit, dismiss, reopen.
import { z } from "zod";
import { pushedElements } from "../../../../commands/corrections/correctableRows.js";
import { dismissRows, reopenRows } from "../../../../commands/corrections/dismissRows.js";
import { judgeCorrections } from "../../../../commands/corrections/judgeCorrections.js";
import { type ClosedRow, RowsClosed } from "../../../../commands/corrections/openRows.js";
import { requestCorrection } from "../../../../commands/corrections/requestCorrection.js";
import { firstRequest } from "../../../../commands/imports/importStream.js";
import { limits } from "../../../../domain/imports/limits.js";
import type { NameOf } from "../../../../domain/principal.js";
import { correctionPush } from "../../../../domain/pushes/importPushes.js";
import { text } from "../../../../domain/pushes/values.js";
import { noImport, Rejection } from "../../../../domain/rejection.js";
import type { RowReason } from "../../../../domain/rows/faults.js";
import { isUuid } from "../../../../domain/uuid.js";
import { check } from "../../../../domain/validation.js";
import { findImportRow } from "../../../../queries/imports/importView.js";
import { rejectedRowsAmong } from "../../../../queries/lookUps/rejectedRows.js";
import { presentCatalogueOf, principalNames } from "../../../../queries/organisations/organisations.js";
import { rejectedRowOutcomes } from "../../../../queries/rejectedRows/rowOutcomes.js";
import { rowsToCorrect } from "../../../../queries/rejectedRows/rowsToCorrect.js";
import { send } from "../../../server/requestFrame.js";
import type { AnswerDefinition, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { presentCatalogue } from "../customers.js";
import { correctionsPath, filterIn } from "./correctionsFilter.js";
import { sentPage, shownRows, verdictOf } from "./shownRows.js";
import { suggestionsAnswer } from "./suggestions.js";

/** Rows, or shipments, of one page. */
const rowsPerPage = 250;
const readBytes = 1024 * 1024;
const changeBytes = 2 * 1024 * 1024;

const rowNumber = z.int().min(1).max(2_147_483_647);
const importName = z.string().refine(isUuid, "must be the id of an import");

function checked<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const found = check(schema, body, "body");
  if (!found.ok) throw new Rejection("invalid", "The body is not as described", found.faults);
  return found.value;
}

const rowsAnswer: AnswerDefinition<SignedInVisit> = {
  method: "GET",
  path: `${correctionsPath}/rows`,
  access: "look",
  answer: async (visit, deps) => {
    const { filter } = await filterIn(visit, deps);
    const rows = await shownRows(visit, filter, { limit: rowsPerPage, cursor: visit.query["cursor"] || undefined }, deps);
    return send(visit.context, { status: 200, body: sentPage(rows) });
  },
};

const changedRows = z.strictObject({
  importId: importName,
  rows: z
    .array(z.strictObject({ row: rowNumber, values: z.record(z.string(), text(limits.rejectedValueBytes)) }))
    .min(1)
    .max(limits.rowsPerCorrection)
    .refine((rows) => new Set(rows.map(({ row }) => row)).size === rows.length, "must name each row once"),
});

/** Changed rows of one import, judged as the importer would judge them now, and who has taken one of them meanwhile. */
const judgeAnswer: AnswerDefinition<SignedInVisit> = {
  method: "POST",
  path: `${correctionsPath}/judge`,
  access: "operate",
  body: { json: readBytes },
  answer: async (visit, deps, body) => {
    const { importId, rows: changed } = checked(changedRows, body);
    const rows = inOrder(changed);
    const { organisationId } = visit.person;
    const found = await findImportRow(organisationId, { kind: undefined, importId }, deps.pool);
    if (!found) throw noImport();
    const { kind } = found;
    const numbers = rows.map(({ row }) => row);
    const sent = await rowsToCorrect(organisationId, { kind, importId, rows: numbers }, deps.pool);
    const known = rows.filter(({ row }) => sent.has(row));
    const { catalogue } = await presentCatalogue(visit, deps);
    const names = kind === "shipments" ? await rejectedRowsAmong(found.position, numbers, deps.pool) : [];
    const push = pushedElements(
      { importId },
      known.map(({ row }) => row),
      names,
    );
    const { geography, eventStore } = deps;
    const judging = { importId, kind, catalogue, geography, eventStore, sentFor: (row: number) => sent.get(row) ?? null, push };
    const verdicts = known.length === 0 ? new Map<number, RowReason | undefined>() : await judgeCorrections({ rows: known }, judging);
    const outcomes = await rejectedRowOutcomes(
      organisationId,
      known.map(({ row }) => ({ importId, row })),
      deps.pool,
    );
    return send(visit.context, {
      status: 200,
      body: {
        verdicts: [...verdicts].map(([row, reason]) => ({ row, verdict: verdictOf(reason) })),
        closed: outcomes.filter(isTaken),
      },
    });
  },
};

/** A person edits rows in any order. Of two elements with one shipmentId the later wins, so each stands where it stood in the push. */
const inOrder = <Row extends { readonly row: number }>(rows: readonly Row[]): Row[] => rows.toSorted((one, other) => one.row - other.row);

const isTaken = ({ state }: { readonly state: string }) => state !== "open";

const namedRows = z.strictObject({
  rows: z
    .array(z.strictObject({ importId: importName, row: rowNumber }))
    .min(1)
    .max(limits.rowsPerCorrection),
});

/** The present state of rows that a person has on the screen. */
const statesAnswer: AnswerDefinition<SignedInVisit> = {
  method: "POST",
  path: `${correctionsPath}/states`,
  access: "look",
  body: { json: readBytes },
  answer: async (visit, deps, body) => {
    const { rows } = checked(namedRows, body);
    return send(visit.context, { status: 200, body: { rows: await rejectedRowOutcomes(visit.person.organisationId, rows, deps.pool) } });
  },
};

const withinMs = 4_500;

const submission = z.strictObject({
  importId: importName,
  /** Made by the page, once for each submission: sent again, it makes no second import. */
  key: z.uuid(),
  rows: correctionPush.shape.rows,
});

const submitAnswer: AnswerDefinition<SignedInVisit> = {
  method: "POST",
  path: `${correctionsPath}/submit`,
  access: "operate",
  body: { json: changeBytes },
  answer: (visit, deps, body) =>
    orClosed(visit, deps, async () => {
      const { importId, key, rows } = checked(submission, body);
      const { person, requestId } = visit;
      const { organisationId, by } = person;
      const { catalogueVersion, now } = await presentCatalogueOf(organisationId, deps.pool);
      const { importId: correction, sourceDetails } = await requestCorrection(
        { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
        {
          organisationId,
          importId,
          push: { rows: inOrder(rows) },
          by,
          requestId,
          now,
          catalogueVersion,
          withinMs,
          idempotencyKey: key,
          sent: (kind, numbers) => rowsToCorrect(organisationId, { kind, importId, rows: numbers }, deps.pool),
        },
      );
      return send(visit.context, { status: 202, body: { importId: correction, name: sourceDetails } });
    }),
};

const chosenRows = z.strictObject({
  importId: importName,
  rows: z
    .array(rowNumber)
    .min(1)
    .max(limits.rowsPerCorrection)
    .refine((rows) => new Set(rows).size === rows.length, "must name each row once"),
  note: z.string().optional(),
});

type ChosenRows = z.infer<typeof chosenRows>;

type ChangeRows = (visit: SignedInVisit, deps: PortalDeps, chosen: ChosenRows) => Promise<void>;

const changedBy = async ({ person: { organisationId, by }, requestId }: SignedInVisit, { pool }: PortalDeps) => ({
  organisationId,
  by,
  requestId,
  now: (await presentCatalogueOf(organisationId, pool)).now,
});

export const dismiss: ChangeRows = async (visit, deps, { importId, rows, note = "" }) =>
  dismissRows(deps, { ...(await changedBy(visit, deps)), importId, rows, note: note.trim() });

export const reopen: ChangeRows = async (visit, deps, { importId, rows }) =>
  reopenRows(deps, { ...(await changedBy(visit, deps)), importId, rows });

const stateAnswer = (what: string, change: ChangeRows): AnswerDefinition<SignedInVisit> => ({
  method: "POST",
  path: `${correctionsPath}/rows/${what}`,
  access: "operate",
  body: { json: changeBytes },
  answer: (visit, deps, body) =>
    orClosed(visit, deps, async () => {
      await change(visit, deps, checked(chosenRows, body));
      return send(visit.context, { status: 200, body: {} });
    }),
});

/** A row that is not open is answered with who has it, so that the page can say so in the row. */
async function orClosed(visit: SignedInVisit, deps: PortalDeps, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RowsClosed)) throw error;
    const nameOf = await principalNames(visit.person.organisationId, deps.pool);
    const closed = await claimsOfRows(error.rows, nameOf, deps);
    return send(visit.context, { status: 409, body: { statusCode: 409, message: error.message, error: "Conflict", closed } });
  }
}

/** Who has each row, from the streams, since the tables may not have it yet. */
async function claimsOfRows(rows: readonly ClosedRow[], nameOf: NameOf, { eventStore }: PortalDeps) {
  const others = new Map<string, { readonly name: string; readonly by: string }>();
  for (const importId of new Set(rows.flatMap((row) => row.importId ?? []))) {
    const request = await firstRequest(eventStore, importId);
    if (request) others.set(importId, { name: request.sourceDetails, by: nameOf(request.by) });
  }
  return rows.map(({ row, state, importId, by }) => {
    const other = others.get(importId ?? "");
    return {
      row,
      state,
      otherId: importId ?? null,
      otherName: other?.name ?? null,
      note: null,
      by: by ? nameOf(by) : (other?.by ?? null),
    };
  });
}

export const correctionAnswers = [
  suggestionsAnswer,
  rowsAnswer,
  judgeAnswer,
  statesAnswer,
  submitAnswer,
  stateAnswer("dismiss", dismiss),
  stateAnswer("reopen", reopen),
];
