import { z } from "zod";
import { listQuotes as list } from "../../../queries/quotes/quoteList.js";
import { instant } from "../document/instant.js";
import { answerPage, pageQuery, pageRequest, pageSchema } from "../pageQuery.js";
import { defineRoute } from "../route.js";
import { time, timeRange } from "../timeQuery.js";
import { location } from "./quoteResponse.js";

const cheapest = z
  .object({ serviceName: z.string().describe("For people"), totalAmount: z.number().describe("Freight, surcharges and GST") })
  .meta({ id: "CheapestQuote" });

const listedQuote = z
  .object({
    quoteId: z.string().describe("Fetches the quote"),
    customerId: z.string().describe("The customer it is for"),
    generatedAt: instant("When it was priced"),
    origin: location.describe("Where the goods are picked up"),
    destination: location.describe("Where they are delivered"),
    serviceCount: z.int().describe("Quotes in the result; fetch the quote for all of them"),
    cheapest: cheapest.nullable().describe("Null when nothing could be priced"),
    noQuoteMessage: z.string().describe("Why nothing could be priced; empty otherwise"),
  })
  .meta({ id: "ListedQuote" });

export const listQuotes = defineRoute({
  method: "GET",
  path: "/v1/org/quotes",
  operationId: "listQuotes",
  summary: "List quotes, newest first",
  tag: "Quotes",
  extension: true,
  request: {
    query: pageQuery.extend({
      customerId: z.string().max(64).optional().describe("Quotes of this customer only"),
      from: time("Quotes generated at or after this time"),
      to: time("Quotes generated before this time"),
    }),
  },
  responses: {
    200: { description: "A page of quotes", schema: pageSchema(listedQuote, "ListedQuotes") },
    400: { description: "Malformed cursor, limit, customer or time, or from is after to" },
  },
  handler: async ({ query, caller }, deps) => {
    const filter = { customerId: query.customerId, ...(await timeRange(query, caller.organisationId, deps.pool)) };
    return answerPage(list(caller.organisationId, filter, pageRequest(query, deps), deps.pool));
  },
});
