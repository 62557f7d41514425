import { z } from "zod";
import { listQuotes as list } from "../../../queries/quoteList.js";
import { answerPage, pageQuery, pageRequest, pageSchema } from "../pageQuery.js";
import { defineRoute } from "../route.js";
import { time, timeRange } from "../timeQuery.js";
import { location } from "./quoteResponse.js";

const listedQuote = z.object({
  quoteId: z.string(),
  customerId: z.string(),
  generatedAt: z.string().describe("ISO 8601, UTC"),
  origin: location,
  destination: location,
  serviceCount: z.int().describe("Quotes in the result; fetch the quote for all of them"),
  cheapest: z.object({ serviceName: z.string(), totalAmount: z.number() }).nullable().describe("Null when nothing could be priced"),
  noQuoteMessage: z.string(),
});

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
      from: time.describe("Quotes generated at or after this time"),
      to: time.describe("Quotes generated before this time"),
    }),
  },
  responses: {
    200: { description: "A page of quotes", schema: pageSchema(listedQuote) },
    400: { description: "Malformed cursor, limit or time" },
  },
  handler: ({ query, caller }, deps) => {
    const filter = { customerId: query.customerId, ...timeRange(query) };
    return answerPage(list(caller.organisationId, filter, pageRequest(query, deps), deps.pool));
  },
});
