// What people do with rejected rows: submit corrections of them, dismiss them, open them again.
import { z } from "zod";
import { dismissRows, reopenRows } from "../../../../commands/corrections/dismissRows.js";
import { type ClosedRow, RowsClosed } from "../../../../commands/corrections/expectOpen.js";
import { requestCorrection } from "../../../../commands/corrections/requestCorrection.js";
import { firstRequest } from "../../../../commands/imports/importStream.js";
import { limits } from "../../../../domain/imports/limits.js";
import type { NameOf } from "../../../../domain/principal.js";
import { correctionPush } from "../../../../domain/pushes/importPushes.js";
import { presentOf, principalNames } from "../../../../queries/organisations/organisations.js";
import { rowsToCorrect } from "../../../../queries/rejectedRows/rowsToCorrect.js";
import { send } from "../../../server/requestFrame.js";
import type { AnswerOf, PortalDeps } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { checked, importName, rowNumber } from "./answers.js";
import { correctionsPath } from "./filter.js";

const bodyBytes = 2 * 1024 * 1024;
const withinMs = 4_500;

const submission = z.strictObject({
  importId: importName,
  /** Made by the page, once for each submission: sent again, it makes no second import. */
  key: z.uuid(),
  rows: correctionPush.shape.rows,
});

const submitAnswer: AnswerOf<SignedInVisit> = {
  method: "POST",
  path: `${correctionsPath}/submit`,
  access: "operate",
  body: { json: bodyBytes },
  answer: (visit, deps, body) =>
    orClosed(visit, deps, async () => {
      const { importId, key, rows } = checked(submission, body);
      const { person, requestId } = visit;
      const { organisationId, by } = person;
      const { catalogueVersion, now } = await presentOf(deps.pool, organisationId);
      const { importId: correction } = await requestCorrection(
        { ...deps, maxQueuedImports: deps.limits.maxQueuedImports },
        {
          ...{ organisationId, importId, push: { rows }, by, requestId, now, catalogueVersion, withinMs, idempotencyKey: key },
          sent: (kind, numbers) => rowsToCorrect(organisationId, { kind, importId, rows: numbers }, deps.pool),
        },
      );
      return send(visit.context, { status: 202, body: { importId: correction } });
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

export async function dismiss(
  { person, requestId }: SignedInVisit,
  deps: PortalDeps,
  { importId, rows, note = "" }: ChosenRows,
): Promise<void> {
  const { organisationId, by } = person;
  const { now } = await presentOf(deps.pool, organisationId);
  await dismissRows(deps, { organisationId, importId, rows, note: note.trim(), by, requestId, now });
}

export async function reopen({ person, requestId }: SignedInVisit, deps: PortalDeps, { importId, rows }: ChosenRows): Promise<void> {
  const { organisationId, by } = person;
  const { now } = await presentOf(deps.pool, organisationId);
  await reopenRows(deps, { organisationId, importId, rows, by, requestId, now });
}

const stateAnswer = (what: string, change: typeof dismiss): AnswerOf<SignedInVisit> => ({
  method: "POST",
  path: `${correctionsPath}/rows/${what}`,
  access: "operate",
  body: { json: bodyBytes },
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
    const nameOf = await principalNames(deps.pool, visit.person.organisationId);
    const closed = await heldBy(error.rows, nameOf, deps);
    return send(visit.context, { status: 409, body: { statusCode: 409, message: error.message, error: "Conflict", closed } });
  }
}

/** Who has each row, from the streams, since the tables may not have it yet. */
async function heldBy(rows: readonly ClosedRow[], nameOf: NameOf, { eventStore }: PortalDeps) {
  const senders = new Map<string, string | null>();
  for (const importId of new Set(rows.flatMap((row) => row.importId ?? []))) {
    const request = await firstRequest(eventStore, importId);
    senders.set(importId, request ? nameOf(request.by) : null);
  }
  return rows.map(({ row, state, importId, by }) => ({
    ...{ row, state, otherId: importId ?? null, note: null },
    by: by ? nameOf(by) : (senders.get(importId ?? "") ?? null),
  }));
}

export const correctionChanges = [submitAnswer, stateAnswer("dismiss", dismiss), stateAnswer("reopen", reopen)];
