import { z } from "zod";
import { limits } from "../../../domain/imports/limits.js";
import { Rejection } from "../../../domain/rejection.js";
import { placeOf } from "../../../queries/shipments/shipmentFilter.js";
import { findShipment, listShipments } from "../../../queries/shipments/shipmentLedger.js";
import { answerObject, instant } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema, timeParameter, timeRange } from "../listQuery.js";
import { defineRoute, extensionGet, type Route } from "../route.js";
import { ledgersTag, shownFields } from "./ledgerShape.js";

const goodsLine = answerObject("GoodsLine", shownFields("goodsLine"));

const ledgerShipment = answerObject("LedgerShipment", {
  ...shownFields("shipment"),
  customFields: z.record(z.string(), z.string()).optional().describe("By key; absent if there are none"),
  items: z.array(goodsLine).describe("Its goods lines"),
  sourceDetails: z.string().describe("The reference of the import that wrote this version"),
  importId: z.string().describe("The import that wrote this version"),
  updatedAt: instant("When it was written"),
});

const shipmentFilters = {
  customerId: z.string().max(limits.identifierLength).optional().describe("Shipments of this customer only"),
  shipmentIdPrefix: z.string().min(1).max(limits.identifierLength).optional().describe("Shipments whose id begins with this"),
  sourceDetails: z
    .string()
    .max(limits.sourceDetailsLength)
    .optional()
    .describe("Shipments written by an import with these `sourceDetails`"),
  place: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe("Shipments from or to this postcode, or this suburb as it was pushed, in any letter case"),
  placeCountry: z.string().trim().min(1).max(100).optional().describe("The country of the suburb in `place`; Australia by default"),
  from: timeParameter("Shipments written at or after this time, by their updatedAt"),
  to: timeParameter("Shipments written before this time, by their updatedAt"),
};

export const shipmentLedgerRoutes: readonly Route[] = [
  defineRoute({
    ...extensionGet,
    path: "/v1/org/ledger/shipments",
    operationId: "listLedgerShipments",
    summary: "List the shipment ledger",
    tag: ledgersTag,
    description:
      "Sorted by shipmentId. With `sourceDetails`, or with `from` or `to` and no `shipmentIdPrefix`, shipments are sorted by import, the one that ended last first; with `customerId` or `place` always by shipmentId. A page looks at 5,000 shipments at most, so a filtered page may be short or empty and still have a `nextCursor`.",
    request: { query: pageQuery.extend(shipmentFilters).strict() },
    responses: {
      200: { description: "A page of shipments", schema: pageSchema(ledgerShipment, "LedgerShipments") },
      400: { description: "Malformed cursor, limit, filter or time, an unknown parameter, or from is after to" },
    },
    handler: async ({ query, caller }, deps) => {
      const { customerId, shipmentIdPrefix, sourceDetails } = query;
      const place = query.place === undefined ? undefined : placeOf(query.place, deps.geography, query.placeCountry);
      const filter = { customerId, shipmentIdPrefix, sourceDetails, place, ...(await timeRange(query, caller.organisationId, deps.pool)) };
      return answerPage(listShipments(caller.organisationId, filter, pageRequest(query, deps), deps.pool));
    },
  }),
  defineRoute({
    ...extensionGet,
    path: "/v1/org/ledger/shipments/{shipmentId}",
    operationId: "getLedgerShipment",
    summary: "Fetch a shipment from the ledger",
    tag: ledgersTag,
    request: { params: z.object({ shipmentId: z.string().describe("As it was imported") }) },
    responses: {
      200: { description: "The shipment", schema: ledgerShipment },
      404: { description: "No such shipment in the organisation" },
    },
    handler: async ({ params, caller }, deps) => {
      const shipment = await findShipment(caller.organisationId, params.shipmentId, deps.pool);
      if (!shipment) throw new Rejection("notFound", "There is no shipment with this id");
      return { status: 200, body: shipment };
    },
  }),
];
