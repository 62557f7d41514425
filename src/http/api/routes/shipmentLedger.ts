import { z } from "zod";
import { Rejection } from "../../../domain/rejection.js";
import { findShipment, listShipments } from "../../../queries/shipmentLedger.js";
import { answerPage, pageQuery, pageRequest, pageSchema } from "../pageQuery.js";
import { defineRoute, type Route } from "../route.js";
import { ledgerShipment } from "./ledgerShape.js";

const tag = "Ledgers";
const malformed = { description: "Malformed cursor or limit" };

export const shipmentLedgerRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/v1/org/ledger/shipments",
    operationId: "listLedgerShipments",
    summary: "List the shipment ledger, by shipmentId",
    tag,
    extension: true,
    request: { query: pageQuery },
    responses: { 200: { description: "A page of shipments", schema: pageSchema(ledgerShipment, "LedgerShipments") }, 400: malformed },
    handler: ({ query, caller }, deps) => answerPage(listShipments(caller.organisationId, pageRequest(query, deps), deps.pool)),
  }),
  defineRoute({
    method: "GET",
    path: "/v1/org/ledger/shipments/{shipmentId}",
    operationId: "getLedgerShipment",
    summary: "Fetch a shipment from the ledger",
    tag,
    extension: true,
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
