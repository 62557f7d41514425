import { z } from "zod";
import { limits } from "../../../domain/imports/limits.js";
import { isDay } from "../../../domain/imports/timestamp.js";
import { listInPushOrder, reversedChoices } from "../../../queries/activities/activitiesInPushOrder.js";
import { listActivities } from "../../../queries/activities/activityRows.js";
import { maxTotals, readActivityTotals, sumOfTotals } from "../../../queries/activities/activityTotals.js";
import { maxAmounts, totalChanges } from "../../../queries/activities/totalChanges.js";
import { givenFields } from "../../../queries/givenFields.js";
import { requireImport } from "../../../queries/imports/importStatus.js";
import { waitUntilTablesKnow } from "../../../queries/waitUntilTablesKnow.js";
import type { ApiDeps } from "../deps.js";
import { answerObject, instant } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema, timeParameter, timeRange } from "../listQuery.js";
import { type Caller, defineRoute, extensionGet, type Route } from "../route.js";
import { ledgersTag, shownFields } from "./ledgerShape.js";

const reversal = answerObject("ReversedActivity", {
  at: instant("When it was reversed"),
  reason: z.string().describe("Why"),
  reversalId: z.string().describe("The reversal's id"),
});

const replacingRow = answerObject("ReplacedActivity", {
  importId: z.string().describe("The import that replaced it"),
  row: z.int().describe("The row's number in that import"),
});

const ledgerActivity = answerObject("LedgerActivity", {
  ...shownFields("activity"),
  importId: z.string().describe("The import that recorded it"),
  row: z.int().describe("The row's number in the file (the header is 1), or its ordinal in the JSON push"),
  reversed: reversal.nullable().optional().describe("Only with the parameter `reversed`; null for an activity that is not reversed"),
  replacedBy: replacingRow
    .nullable()
    .optional()
    .describe("Only with the parameter `reversed`: the row that replaced it; null if there is none"),
});

const codeFilter = z.string().max(limits.identifierLength).optional();

const activityFilters = {
  customerId: codeFilter.describe("Activities of this customer only. An empty value means activities without a customer"),
  warehouseCode: codeFilter.describe("Activities of this warehouse only"),
  chargeCode: codeFilter.describe("Activities with this charge code only"),
  from: timeParameter("Activities at or after this time, by their activityTimestamp"),
  to: timeParameter("Activities before this time, by their activityTimestamp"),
};

const requiredTime = (time: ReturnType<typeof timeParameter>) => time.unwrap().meta(time.meta() ?? {});

const exactQuantity = z.string().describe("An exact decimal, as text: a JSON number is exact to 15 digits only");
const activityCount = z.int().describe("How many activities");

const totalSchema = answerObject("ActivityTotal", {
  customerId: z.string().nullable().describe("Null for activities without a customer"),
  warehouseCode: z.string().describe("The warehouse"),
  chargeCode: z.string().describe("What was done"),
  quantity: exactQuantity,
  rows: activityCount,
});

const totalsSchema = answerObject("ActivityTotals", {
  items: z.array(totalSchema).describe("By customer, warehouse and charge code"),
  total: z.object({ quantity: exactQuantity, rows: activityCount }).meta({ id: "ActivitySum" }).describe("The sum of all items"),
});

const changedAmount = answerObject("ChangedAmount", {
  customerId: z.string().nullable().describe("Null for activities without a customer"),
  chargeCode: z.string().describe("What was done"),
  quantity: z.string().describe("The change, negative if there is less than before; an exact decimal, as text"),
  rows: z.int().describe("The change in the number of activities"),
});

const changeSchema = answerObject("TotalsChange", {
  importId: z.string().describe("The import that completed, or whose rows were reversed"),
  reversalId: z.string().nullable().describe("The reversal's id; null for an import"),
  at: instant("When the import completed, or the reversal was made"),
  sourceDetails: z.string().describe("The import's reference"),
  reason: z.string().nullable().describe("Why it was reversed"),
  amounts: z.array(changedAmount).describe("By customer and charge code"),
});

const changesSchema = answerObject("TotalsChanges", { items: z.array(changeSchema).describe("Oldest first") });

export const activityLedgerRoutes: readonly Route[] = [
  defineRoute({
    ...extensionGet,
    path: "/v1/org/ledger/activities",
    operationId: "listLedgerActivities",
    summary: "List the activity ledger, of one import or of all",
    description:
      "In the order of the pushes. With a filter by customer, warehouse, charge code or time, activities are sorted by customer, warehouse, charge code and half hour, and within each in the order of the pushes. " +
      "With `reversed`, `unusual` or `reference` they are always in the order of the pushes. A page then looks at 5,000 activities at most, " +
      "so it may be short or empty and still have a `nextCursor`.",
    tag: ledgersTag,
    request: {
      query: pageQuery
        .extend({
          importId: z.string().optional().describe("Activities of this import only"),
          reversed: z
            .enum(reversedChoices)
            .optional()
            .describe("`include`: also reversed and replaced activities. `only`: only reversed ones. By default neither are listed"),
          unusual: z
            .enum(["only"])
            .optional()
            .describe("`only`: unusual activities, at most 1,000 of each kind per import, in the order of the pushes"),
          reference: z
            .string()
            .min(1)
            .max(limits.textLength)
            .optional()
            .describe("Activities with exactly this reference, in the order of the pushes"),
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
      const choice = { reversed: reversed ?? "leaveOut", unusualOnly: unusual !== undefined, reference } as const;
      return answerPage(listInPushOrder(caller.organisationId, filter, choice, page, deps.pool), ({ values, importId, row, ...state }) => ({
        ...givenFields(values, "activity"),
        importId,
        row,
        ...(reversed !== undefined && state),
      }));
    },
  }),
  defineRoute({
    ...extensionGet,
    path: "/v1/org/ledger/activities/totals",
    operationId: "getLedgerActivityTotals",
    summary: "Sum the activity ledger by customer, warehouse and charge code",
    description: `Totals of completed imports, sorted by customer, warehouse and charge code. More than ${maxTotals} items are a 400.`,
    tag: ledgersTag,
    request: {
      query: z.strictObject({
        ...activityFilters,
        asOf: timeParameter("The totals as of this time: with all rows and reversals recorded until then"),
      }),
    },
    responses: {
      200: { description: "The totals", schema: totalsSchema },
      400: { description: "Malformed code or time, an unknown parameter, from is after to, or too many totals" },
    },
    handler: async ({ query, caller }, deps) => {
      const filter = { ...(await activityFilter(query, caller, deps)), asOf: await asOfMoment(query.asOf, caller, deps) };
      if (filter.asOf) await waitUntilTablesKnow(filter.asOf, deps);
      const items = await readActivityTotals(caller.organisationId, filter, deps.pool);
      return { status: 200, body: { items, total: sumOfTotals(items) } };
    },
  }),
  defineRoute({
    ...extensionGet,
    path: "/v1/org/ledger/activities/totals/changes",
    operationId: "listLedgerActivityTotalChanges",
    summary: "List what changed the totals since a time",
    description:
      "The imports and reversals since that time, oldest first, each with what it added or removed. Their sum is the difference between the " +
      `totals now and those \`asOf\` that time. More than ${maxAmounts} amounts are a 400.`,
    tag: ledgersTag,
    request: { query: z.strictObject({ ...activityFilters, since: requiredTime(timeParameter("Changes after this time")) }) },
    responses: {
      200: { description: "The changes", schema: changesSchema },
      400: { description: "Malformed code or time, an unknown parameter, from is after to, or too many amounts" },
    },
    handler: async ({ query, caller }, deps) => {
      const { from: since = caller.now() } = await timeRange({ from: query.since }, caller.organisationId, deps.pool); // `from` is set
      await waitUntilTablesKnow(since, deps);
      const changes = await totalChanges(caller.organisationId, await activityFilter(query, caller, deps), since, deps.pool);
      const items = changes.map(({ actor: _, ...change }) => ({ ...change, at: change.at.toISOString() }));
      return { status: 200, body: { items } };
    },
  }),
];

/** The moment that `asOf` means. For a day it is the day's last millisecond. */
async function asOfMoment(asOf: string | undefined, { organisationId }: Caller, { pool }: ApiDeps): Promise<Date | undefined> {
  const { to } = await timeRange({ to: asOf }, organisationId, pool);
  return to && isDay(asOf ?? "") ? new Date(to.getTime() - 1) : to;
}

type ActivityQuery = z.output<z.ZodObject<typeof activityFilters>>;

async function activityFilter(query: ActivityQuery, { organisationId }: Caller, { pool }: ApiDeps) {
  const { customerId, warehouseCode, chargeCode } = query;
  return { customerId, warehouseCode, chargeCode, ...(await timeRange(query, organisationId, pool)) };
}
