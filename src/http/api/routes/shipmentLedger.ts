import { z } from "zod";
import { limits } from "../../../domain/imports/limits.js";
import { Rejection } from "../../../domain/rejection.js";
import { placeOf } from "../../../queries/shipments/shipmentFilter.js";
import { findShipment, listShipments } from "../../../queries/shipments/shipmentLedger.js";
import { answerObject, instant } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema, timeParameter, timeRange } from "../listQuery.js";
import { defineRoute, type Route, readBeyondContract } from "../route.js";
import { ledgersTag, shownFields } from "./ledgerShape.js";

const goodsLine = answerObject("GoodsLine", shownFields("goodsLine"));

const ledgerShipment = answerObject("LedgerShipment", {
  ...shownFields("shipment"),
  customFields: z.record(z.string(), z.string()).optional().describe("By key; absent where it has none"),
  items: z.array(goodsLine).describe("Its goods lines"),
  sourceDetails: z.string().describe("The reference of the import that wrote this version"),
  importId: z.string().describe("The import that wrote this version"),
  updatedAt: instant("When it was written"),
});

const shipmentFilters = {
  customerId: z.string().max(limits.identifierLength).optional().describe("Shipments of this customer only"),
  shipmentIdPrefix: z.string().min(1).max(limits.identifierLength).optional().describe("Shipments whose id begins so"),
  sourceDetails: z.string().max(limits.sourceDetailsLength).optional().describe("Shipments that an import with these sourceDetails wrote"),
  place: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe("Shipments from or to this postcode, or this suburb as it was pushed, in capitals or not"),
  placeCountry: z.string().trim().min(1).max(100).optional().describe("The country that `place` is a suburb of; Australia when omitted"),
  from: timeParameter("Shipments written at or after this time, by their updatedAt"),
  to: timeParameter("Shipments written before this time, by their updatedAt"),
};

export const shipmentLedgerRoutes: readonly Route[] = [
  defineRoute({
    ...readBeyondContract,
    path: "/v1/org/ledger/shipments",
    operationId: "listLedgerShipments",
    summary: "List the shipment ledger",
    tag: ledgersTag,
    description:
      "By shipmentId; what is asked for by `sourceDetails`, or by `from` and `to` alone, comes by import, the last ended first. A filtered page may be short, or empty, and still have a `nextCursor`: at most 5,000 shipments are looked at for a page.",
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
    ...readBeyondContract,
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
