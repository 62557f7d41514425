import { v7 as newId } from "uuid";
import { generateQuotes as generate } from "../../../commands/quotes/generateQuotes.js";
import { quoteRequest } from "../../../domain/rating/quoteRequest.js";
import { recentQuotes } from "../../../queries/quotes/recentQuotes.js";
import { defineRoute } from "../route.js";
import { quoteResponse } from "./quoteResponse.js";

export const generateQuotes = defineRoute({
  method: "POST",
  path: "/v1/org/quote/getQuote",
  operationId: "generateQuotes",
  summary: "Generate quotes",
  description: "Prices the items for each customer. Every result is a quote of its own that can be fetched again by its quoteId.",
  tag: "Quotes",
  maxBodyBytes: 2 * 1024 * 1024,
  request: { body: quoteRequest },
  responses: {
    200: { description: "One result per customer; a result without quotes says why", schema: quoteResponse },
    400: { description: "The body is not as described, or a location could not be resolved" },
    403: { description: "A customer does not belong to the organisation; nothing was priced" },
  },
  handler: async ({ body, caller }, { eventStore, catalogues, geography, quoteMemory }) => {
    const catalogue = await catalogues(caller.organisationId, caller.catalogueVersion);
    const { event, response } = await generate({ events: eventStore, catalogue, geography, newId }, body, caller);
    quoteMemory.keep({ quotesId: event.quotesId, number: 1 }, recentQuotes(event, response), response.length);
    return { status: 200, json: response };
  },
});
