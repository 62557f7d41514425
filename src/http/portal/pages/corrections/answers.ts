// What the grid asks for: pages of rows, verdicts on changed rows, and what has become of rows meanwhile.
import { z } from "zod";
import { judgeCorrections } from "../../../../commands/corrections/judgeCorrections.js";
import { limits } from "../../../../domain/imports/limits.js";
import { text } from "../../../../domain/pushes/values.js";
import { Rejection } from "../../../../domain/rejection.js";
import type { RowReason } from "../../../../domain/rows/faults.js";
import { isUuid } from "../../../../domain/uuid.js";
import { check } from "../../../../domain/validation.js";
import { findImportRow } from "../../../../queries/imports/importView.js";
import { rowHolders } from "../../../../queries/rejectedRows/rowHolders.js";
import { rowsToCorrect } from "../../../../queries/rejectedRows/rowsToCorrect.js";
import { send } from "../../../server/requestFrame.js";
import type { AnswerOf } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { askedFor, correctionsPath } from "./filter.js";
import { shownRows, todaysCatalogue, verdictOf } from "./shownRows.js";

/** Rows, or shipments, of one page. */
const rowsPerPage = 250;
const bodyBytes = 1024 * 1024;

export const rowNumber = z.int().min(1).max(2_147_483_647);
export const importName = z.string().refine(isUuid, "must be the id of an import");

export function checked<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const found = check(schema, body, "body");
  if (!found.ok) throw new Rejection("invalid", "The body is not as described", found.faults);
  return found.value;
}

const rowsAnswer: AnswerOf<SignedInVisit> = {
  method: "GET",
  path: `${correctionsPath}/rows`,
  access: "look",
  answer: async (visit, deps) => {
    const { filter } = await askedFor(visit, deps);
    const { items, nextCursor } = await shownRows(visit, filter, { limit: rowsPerPage, cursor: visit.query["cursor"] || undefined }, deps);
    const references = Object.fromEntries(items.map(({ importId, reference }) => [importId, reference]));
    const rows = items.map(({ reference: _, ...row }) => row);
    return send(visit.context, { status: 200, body: { rows, references, next: nextCursor } });
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
const judgeAnswer: AnswerOf<SignedInVisit> = {
  method: "POST",
  path: `${correctionsPath}/judge`,
  access: "operate",
  body: { json: bodyBytes },
  answer: async (visit, deps, body) => {
    const { importId, rows } = checked(changedRows, body);
    const { organisationId } = visit.person;
    const found = await findImportRow(organisationId, { kind: undefined, importId }, deps.pool);
    if (!found) throw new Rejection("notFound", "There is no import with this id.");
    const { kind } = found;
    const numbers = rows.map(({ row }) => row);
    const sent = await rowsToCorrect(organisationId, { kind, importId, rows: numbers }, deps.pool);
    const known = rows.filter(({ row }) => sent.has(row));
    const catalogue = await todaysCatalogue(visit, deps);
    const judging = { importId, kind, catalogue, geography: deps.geography, sentFor: (row: number) => sent.get(row) ?? null };
    const verdicts = known.length === 0 ? new Map<number, RowReason | undefined>() : await judgeCorrections({ rows: known }, judging);
    const held = await rowHolders(
      organisationId,
      known.map(({ row }) => ({ importId, row })),
      deps.pool,
    );
    return send(visit.context, {
      status: 200,
      body: {
        verdicts: [...verdicts].map(([row, reason]) => ({ row, verdict: verdictOf(reason) })),
        held: held.filter(isHeld),
      },
    });
  },
};

const isHeld = ({ state }: { readonly state: string }) => state !== "open";

const namedRows = z.strictObject({
  rows: z
    .array(z.strictObject({ importId: importName, row: rowNumber }))
    .min(1)
    .max(limits.rowsPerCorrection),
});

/** The present state of rows that a person has on the screen. */
const statesAnswer: AnswerOf<SignedInVisit> = {
  method: "POST",
  path: `${correctionsPath}/states`,
  access: "look",
  body: { json: bodyBytes },
  answer: async (visit, deps, body) => {
    const { rows } = checked(namedRows, body);
    return send(visit.context, { status: 200, body: { rows: await rowHolders(visit.person.organisationId, rows, deps.pool) } });
  },
};

export const correctionReads = [rowsAnswer, judgeAnswer, statesAnswer];
