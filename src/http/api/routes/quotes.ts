import { z } from "zod";
import { generateQuotes } from "../../../commands/quotes/generateQuotes.js";
import { quoteRequest } from "../../../domain/rating/quoteRequest.js";
import { Rejection } from "../../../domain/rejection.js";
import { findQuote, listQuotes } from "../../../queries/quotes/quoteList.js";
import { answerObject, instant } from "../document/schemas.js";
import { answerPage, pageQuery, pageRequest, pageSchema, timeParameter, timeRange } from "../listQuery.js";
import { defineRoute, extensionGet, type Route } from "../route.js";

const location = answerObject("Location", {
  postalCode: z.string().describe("The postcode, as its country writes it"),
  suburb: z.string().describe("The suburb that was found"),
  city: z.string().describe("Its city or area"),
  state: z.string().describe("Its state, short, such as NSW"),
  stateName: z.string().describe("Its state, in full"),
  countryCode: z.string().describe("ISO country code"),
});

const goods = answerObject("QuotedGoods", {
  type: z.string().describe("As it was sent; empty if it was not"),
  quantity: z.int().describe("Number of equal items"),
  length: z.number().describe("Centimetres"),
  width: z.number().describe("Centimetres"),
  height: z.number().describe("Centimetres"),
  weight: z.number().describe("Kilograms per item"),
  chargeableWeight: z.number().describe("Kilograms of the whole line: the greater of weight and cubic weight, times the quantity"),
});

const surcharge = answerObject("Surcharge", {
  name: z.string().describe("A name for people"),
  description: z.string().describe("What it is for; may be empty"),
  key: z.string().describe("The surcharge's key, the same in every quote"),
  amount: z.number().describe("In the organisation's currency, without GST"),
});

const quote = answerObject("Quote", {
  rateId: z.string().describe("The id of this priced line"),
  serviceName: z.string().describe("A name for people"),
  serviceId: z.string().describe("The service's alias, for `filters.serviceIds`"),
  rateCardName: z.string().describe("A name for people"),
  rateCardId: z.string().describe("The rate card's alias, for `filters.rateCardIds`"),
  amount: z.number().describe("Freight, without surcharges and GST"),
  totalAmount: z.number().describe("Freight, surcharges and GST"),
  gstAmount: z.number().describe("The GST in totalAmount"),
  isSpotRate: z.boolean().describe("Whether this is a spot rate"),
  spotRateMessage: z.string().describe("The message of a spot rate; empty for other rates"),
  deliveryTime: z.string().describe("The transit time in words; empty if it is not known"),
  minTransitTime: z.int().describe("In transitTimeUnit; 0 if it is not known"),
  maxTransitTime: z.int().describe("In transitTimeUnit; 0 if it is not known"),
  transitTimeUnit: z.enum(["H", "D", "W"]).describe("H for hours, D for days, W for weeks"),
  surcharges: z.array(surcharge).describe("The surcharges that apply, the fuel levy last"),
});

const result = answerObject("QuoteResult", {
  customerId: z.string().describe("The customer this result is for"),
  quoteId: z.string().describe("The id to fetch this result again"),
  noQuoteMessage: z.string().describe("Why nothing could be priced; empty otherwise"),
  quotes: z.array(quote).describe("Cheapest first; empty when no service applies"),
});

export const quoteResponse = answerObject("QuoteResponse", {
  origin: location.describe("The pickup location, completed by the service"),
  destination: location.describe("The delivery location, completed by the service"),
  goods: z.array(goods).describe("The items, with their chargeable weight"),
  results: z.array(result).describe("One for each customer, in the order of the request"),
});

const generateQuotesRoute = defineRoute({
  method: "POST",
  path: "/v1/org/quote/getQuote",
  operationId: "generateQuotes",
  summary: "Generate quotes",
  description: "Prices the items for each customer. Each result is a quote of its own, which can be fetched again by its quoteId.",
  tag: "Quotes",
  scope: "quotes",
  maxBodyBytes: 2 * 1024 * 1024,
  request: { body: quoteRequest },
  responses: {
    200: { description: "One result per customer; a result without quotes says why", schema: quoteResponse },
    400: { description: "The body is not as described, or a location could not be resolved" },
    403: { description: "The key does not have the scope quotes, or a customer does not belong to the organisation; nothing was priced" },
  },
  handler: async ({ body, caller }, { eventStore, catalogues, geography }) => {
    const catalogue = await catalogues(caller.organisationId, caller.catalogueVersion);
    const { response } = await generateQuotes({ eventStore, catalogue, geography }, body, { ...caller, now: caller.now() });
    return { status: 200, json: response };
  },
});

const fetchQuoteRoute = defineRoute({
  method: "GET",
  path: "/v1/org/quote/getQuote/{quoteId}",
  operationId: "fetchQuote",
  summary: "Fetch a quote",
  tag: "Quotes",
  scope: ["quotes", "read"],
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

const cheapestQuote = answerObject("CheapestQuote", {
  serviceName: z.string().describe("A name for people"),
  totalAmount: z.number().describe("Freight, surcharges and GST"),
});

const listedQuote = answerObject("ListedQuote", {
  quoteId: z.string().describe("The id to fetch the quote"),
  customerId: z.string().describe("The customer it is for"),
  generatedAt: instant("When it was priced"),
  origin: location.describe("Where the goods are picked up"),
  destination: location.describe("Where they are delivered"),
  serviceCount: z.int().describe("Quotes in the result; fetch the quote for all of them"),
  cheapest: cheapestQuote.nullable().describe("Null when nothing could be priced"),
  noQuoteMessage: z.string().describe("Why nothing could be priced; empty otherwise"),
});

const listQuotesRoute = defineRoute({
  ...extensionGet,
  path: "/v1/org/quotes",
  operationId: "listQuotes",
  summary: "List quotes, newest first",
  tag: "Quotes",
  request: {
    query: pageQuery.extend({
      customerId: z.string().max(64).optional().describe("Quotes of this customer only"),
      from: timeParameter("Quotes generated at or after this time"),
      to: timeParameter("Quotes generated before this time"),
    }),
  },
  responses: {
    200: { description: "A page of quotes", schema: pageSchema(listedQuote, "ListedQuotes") },
    400: { description: "Malformed cursor, limit, customer or time, or from is after to" },
  },
  handler: async ({ query, caller }, deps) => {
    const filter = { customerId: query.customerId, ...(await timeRange(query, caller.organisationId, deps.pool)) };
    return answerPage(listQuotes(caller.organisationId, filter, pageRequest(query, deps), deps.pool));
  },
});

export const quoteRoutes: readonly Route[] = [generateQuotesRoute, fetchQuoteRoute, listQuotesRoute];
