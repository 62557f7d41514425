import { z } from "zod";
import { limits } from "../../../domain/imports/limits.js";
import { isDay } from "../../../domain/imports/timestamp.js";
import { listInPushOrder, reversedChoices } from "../../../queries/activities/activitiesInPushOrder.js";
import { listActivities } from "../../../queries/activities/activityRows.js";
import { activityTotals, mostTotals, sumOfTotals } from "../../../queries/activities/activityTotals.js";
import { mostAmounts, totalChanges } from "../../../queries/activities/totalChanges.js";
import { givenFields } from "../../../queries/givenFields.js";
import { requireImport } from "../../../queries/imports/importStatus.js";
import { waitUntilTablesKnow } from "../../../queries/waitUntilTablesKnow.js";
import type { ApiDeps } from "../deps.js";
import { answerObject, instant } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema, timeParameter, timeRange } from "../listQuery.js";
import { type Caller, defineRoute, type Route, readBeyondContract } from "../route.js";
import { ledgersTag, shownFields } from "./ledgerShape.js";

const reversed = answerObject("ReversedActivity", {
  at: instant("When it was reversed"),
  reason: z.string().describe("Why"),
  reversalId: z.string().describe("Names the reversal"),
});

const replacement = answerObject("ReplacedActivity", {
  importId: z.string().describe("The import that corrects it"),
  row: z.int().describe("Its row there"),
});

const ledgerActivity = answerObject("LedgerActivity", {
  ...shownFields("activity"),
  importId: z.string().describe("The import that recorded it"),
  row: z.int().describe("The row's number in the file (the header is 1), or its ordinal in the JSON push"),
  reversed: reversed.nullable().optional().describe("Only with the parameter `reversed`; null for an activity that is not reversed"),
  replacedBy: replacement
    .nullable()
    .optional()
    .describe("Only with the parameter `reversed`: the row that counts in its place; null where there is none"),
});

const code = z.string().max(limits.identifierLength).optional();

const activityFilters = {
  customerId: code.describe("Activities of this customer only; empty: those that name no customer"),
  warehouseCode: code.describe("Activities of this warehouse only"),
  chargeCode: code.describe("Activities with this charge code only"),
  from: timeParameter("Activities at or after this time, by their activityTimestamp"),
  to: timeParameter("Activities before this time, by their activityTimestamp"),
};

const required = (text: ReturnType<typeof timeParameter>) => text.unwrap().meta(text.meta() ?? {});

const quantity = z.string().describe("An exact decimal, as text: a JSON number is exact to 15 digits only");
const rows = z.int().describe("How many activities");

const total = answerObject("ActivityTotal", {
  customerId: z.string().nullable().describe("Null: of the activities that name no customer"),
  warehouseCode: z.string().describe("The warehouse"),
  chargeCode: z.string().describe("What was done"),
  quantity,
  rows,
});

const totals = answerObject("ActivityTotals", {
  items: z.array(total).describe("By customer, warehouse and charge code"),
  total: z.object({ quantity, rows }).meta({ id: "ActivitySum" }).describe("Of all items"),
});

const amount = answerObject("ChangedAmount", {
  customerId: z.string().nullable().describe("Null: of the activities that name no customer"),
  chargeCode: z.string().describe("What was done"),
  quantity: z.string().describe("More, or with a minus less, than before; an exact decimal, as text"),
  rows: z.int().describe("How many activities more or less"),
});

const change = answerObject("TotalsChange", {
  importId: z.string().describe("The import that completed, or of which something was reversed"),
  reversalId: z.string().nullable().describe("Names the reversal; null for an import"),
  at: instant("When the import completed, or the reversal was made"),
  sourceDetails: z.string().describe("The import's reference"),
  reason: z.string().nullable().describe("Why it was reversed"),
  amounts: z.array(amount).describe("By customer and charge code"),
});

const changes = answerObject("TotalsChanges", { items: z.array(change).describe("The oldest first") });

export const activityLedgerRoutes: readonly Route[] = [
  defineRoute({
    ...readBeyondContract,
    path: "/v1/org/ledger/activities",
    operationId: "listLedgerActivities",
    summary: "List the activity ledger, of one import or of all",
    description:
      "In the order in which they were pushed. Filtered by customer, warehouse, charge code or time: by customer, warehouse, charge code and " +
      "half hour, and as pushed within each. With `reversed`, `unusual` or `reference` always in the order of the pushes; then a filtered page may be short, or empty, and " +
      "still have a `nextCursor`: at most 5,000 activities are looked at for a page.",
    tag: ledgersTag,
    request: {
      query: pageQuery
        .extend({
          importId: z.string().optional().describe("Activities of this import only"),
          reversed: z
            .enum(reversedChoices)
            .optional()
            .describe("include: reversed and replaced activities as well; only: reversed ones. Otherwise neither are listed"),
          unusual: z
            .enum(["only"])
            .optional()
            .describe(
              "only: activities that their imports name as unusual, of each kind the first 1,000 of an import; in the order of the pushes",
            ),
          reference: z
            .string()
            .min(1)
            .max(limits.textLength)
            .optional()
            .describe("Activities with exactly this reference; in the order of the pushes"),
          ...activityFilters,
        })
        .strict(),
    },
    responses: {
      200: { description: "A page of activities", schema: pageSchema(ledgerActivity, "LedgerActivities") },
      400: { description: "Malformed cursor, limit, code or time, an unknown parameter, or from is after to" },
      404: { description: "No such fulfilment import in the organisation" },
    },
    handler: async ({ query, caller }, deps) => {
      const { importId, reversed, unusual, reference } = query;
      const filter = { importId, ...(await activityFilter(query, caller, deps)) };
      if (importId !== undefined) await requireImport(caller.organisationId, { kind: "activities", importId }, deps);
      const page = pageRequest(query, deps);
      if (reversed === undefined && unusual === undefined && reference === undefined)
        return answerPage(listActivities(caller.organisationId, filter, page, deps.pool));
      const listed = { reversed: reversed ?? "leaveOut", unusualOnly: unusual !== undefined, reference } as const;
      return answerPage(listInPushOrder(caller.organisationId, filter, listed, page, deps.pool), ({ values, importId, row, ...state }) => ({
        ...givenFields(values, "activity"),
        importId,
        row,
        ...(reversed !== undefined && state),
      }));
    },
  }),
  defineRoute({
    ...readBeyondContract,
    path: "/v1/org/ledger/activities/totals",
    operationId: "getLedgerActivityTotals",
    summary: "Sum the activity ledger by customer, warehouse and charge code",
    description: `Of completed imports, by customer, warehouse and charge code in this order. At most ${mostTotals} items: more are a 400.`,
    tag: ledgersTag,
    request: {
      query: z.strictObject({
        ...activityFilters,
        asOf: timeParameter("The totals as they were known at this time: rows recorded and reversals made up to it"),
      }),
    },
    responses: {
      200: { description: "The totals", schema: totals },
      400: { description: "Malformed code or time, an unknown parameter, from is after to, or too many totals" },
    },
    handler: async ({ query, caller }, deps) => {
      const filter = { ...(await activityFilter(query, caller, deps)), asOf: await lastMoment(query.asOf, caller, deps) };
      if (filter.asOf) await waitUntilTablesKnow(filter.asOf, deps);
      const items = await activityTotals(caller.organisationId, filter, deps.pool);
      return { status: 200, body: { items, total: sumOfTotals(items) } };
    },
  }),
  defineRoute({
    ...readBeyondContract,
    path: "/v1/org/ledger/activities/totals/changes",
    operationId: "listLedgerActivityTotalChanges",
    summary: "List what changed the totals since a time",
    description:
      "The imports and reversals since then, the oldest first, each with what it added or took away. Their sum is the difference between the " +
      `totals now and those \`asOf\` that time. At most ${mostAmounts} amounts: more are a 400.`,
    tag: ledgersTag,
    request: { query: z.strictObject({ ...activityFilters, since: required(timeParameter("Changes after this time")) }) },
    responses: {
      200: { description: "The changes", schema: changes },
      400: { description: "Malformed code or time, an unknown parameter, from is after to, or too many amounts" },
    },
    handler: async ({ query, caller }, deps) => {
      const { from: since = caller.now() } = await timeRange({ from: query.since }, caller.organisationId, deps.pool);
      await waitUntilTablesKnow(since, deps);
      const found = await totalChanges(caller.organisationId, await activityFilter(query, caller, deps), since, deps.pool);
      const items = found.map(({ actor: _, ...change }) => ({ ...change, at: change.at.toISOString() }));
      return { status: 200, body: { items } };
    },
  }),
];

/** A day means its last millisecond. */
async function lastMoment(text: string | undefined, { organisationId }: Caller, { pool }: ApiDeps): Promise<Date | undefined> {
  const { to } = await timeRange({ to: text }, organisationId, pool);
  return to && isDay(text ?? "") ? new Date(to.getTime() - 1) : to;
}

type ActivityQuery = z.output<z.ZodObject<typeof activityFilters>>;

async function activityFilter(query: ActivityQuery, { organisationId }: Caller, { pool }: ApiDeps) {
  const { customerId, warehouseCode, chargeCode } = query;
  return { customerId, warehouseCode, chargeCode, ...(await timeRange(query, organisationId, pool)) };
}
