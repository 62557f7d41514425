import { z } from "zod";
import { Rejection } from "../../../domain/rejection.js";
import { findQuote } from "../../../queries/quotes/quote.js";
import { defineRoute } from "../route.js";
import { quoteResponse } from "./quoteResponse.js";

export const fetchQuote = defineRoute({
  method: "GET",
  path: "/v1/org/quote/getQuote/{quoteId}",
  operationId: "fetchQuote",
  summary: "Fetch a quote",
  tag: "Quotes",
  request: { params: z.object({ quoteId: z.string().describe("The quoteId of any result") }) },
  responses: {
    200: { description: "The quote as it was answered, with its one result", schema: quoteResponse },
    404: { description: "The organisation has no quote with this id" },
  },
  handler: async ({ params, caller }, deps) => {
    const json = await findQuote(caller.organisationId, params.quoteId, deps);
    if (json === undefined) throw new Rejection("notFound", "There is no quote with this id");
    return { status: 200, json };
  },
});
