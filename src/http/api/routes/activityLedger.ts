import { z } from "zod";
import { limits } from "../../../domain/imports/limits.js";
import { listActivities } from "../../../queries/activities/activityLedger.js";
import { activityTotals, mostTotals, sumOf } from "../../../queries/activities/activityTotals.js";
import { answerPage, pageQuery, pageRequest, pageSchema } from "../pageQuery.js";
import { defineRoute, type Route } from "../route.js";
import { time, timeRange } from "../timeQuery.js";
import { requireImport } from "./importsShape.js";
import { ledgerActivity } from "./ledgerShape.js";

const tag = "Ledgers";
const code = z.string().max(limits.identifierLength).optional();

const filters = {
  customerId: code.describe("Activities of this customer only; empty: those that name no customer"),
  warehouseCode: code.describe("Activities of this warehouse only"),
  chargeCode: code.describe("Activities with this charge code only"),
  from: time("Activities at or after this time, by their activityTimestamp"),
  to: time("Activities before this time, by their activityTimestamp"),
};

const quantity = z.string().describe("An exact decimal, as text: a JSON number is exact to 15 digits only");
const rows = z.int().describe("How many activities");

const total = z
  .object({
    customerId: z.string().nullable().describe("Null: of the activities that name no customer"),
    warehouseCode: z.string().describe("The warehouse"),
    chargeCode: z.string().describe("What was done"),
    ...{ quantity, rows },
  })
  .meta({ id: "ActivityTotal" });

const totals = z
  .object({
    items: z.array(total).describe("By customer, warehouse and charge code"),
    total: z.object({ quantity, rows }).meta({ id: "ActivitySum" }).describe("Of all items"),
  })
  .meta({ id: "ActivityTotals" });

export const activityLedgerRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/v1/org/ledger/activities",
    operationId: "listLedgerActivities",
    summary: "List the activity ledger, of one import or of all",
    description:
      "In the order in which they were pushed. Filtered by customer, warehouse, charge code or time: by customer, warehouse, charge code and " +
      "half hour, and as pushed within each.",
    tag,
    extension: true,
    request: {
      query: pageQuery.extend({ importId: z.string().optional().describe("Activities of this import only"), ...filters }).strict(),
    },
    responses: {
      200: { description: "A page of activities", schema: pageSchema(ledgerActivity, "LedgerActivities") },
      400: { description: "Malformed cursor, limit, code or time, an unknown parameter, or from is after to" },
      404: { description: "No such fulfilment import in the organisation" },
    },
    handler: async ({ query, caller }, deps) => {
      const { importId, customerId, warehouseCode, chargeCode } = query;
      const filter = { importId, customerId, warehouseCode, chargeCode, ...(await timeRange(query, caller.organisationId, deps.pool)) };
      if (importId !== undefined) await requireImport(caller, "activities", importId, deps);
      return answerPage(listActivities(caller.organisationId, filter, pageRequest(query, deps), deps.pool));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/v1/org/ledger/activities/totals",
    operationId: "getLedgerActivityTotals",
    summary: "Sum the activity ledger by customer, warehouse and charge code",
    description: `Of completed imports, by customer, warehouse and charge code in this order. At most ${mostTotals} items: more are a 400.`,
    tag,
    extension: true,
    request: { query: z.strictObject(filters) },
    responses: {
      200: { description: "The totals", schema: totals },
      400: { description: "Malformed code or time, an unknown parameter, from is after to, or too many totals" },
    },
    handler: async ({ query, caller }, deps) => {
      const { customerId, warehouseCode, chargeCode } = query;
      const filter = { customerId, warehouseCode, chargeCode, ...(await timeRange(query, caller.organisationId, deps.pool)) };
      const items = await activityTotals(caller.organisationId, filter, deps.pool);
      return { status: 200, body: { items, total: sumOf(items) } };
    },
  }),
];
