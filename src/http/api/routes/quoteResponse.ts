import { z } from "zod";

export const location = z
  .object({
    postalCode: z.string().describe("The postcode, as its country writes it"),
    suburb: z.string().describe("The suburb that was found"),
    city: z.string().describe("Its city or area"),
    state: z.string().describe("Its state, short, such as NSW"),
    stateName: z.string().describe("Its state, in full"),
    countryCode: z.string().describe("ISO country code"),
  })
  .meta({ id: "Location" });

const goods = z
  .object({
    type: z.string().describe("As it was sent; empty when it was not"),
    quantity: z.int().describe("Number of equal items"),
    length: z.number().describe("Centimetres"),
    width: z.number().describe("Centimetres"),
    height: z.number().describe("Centimetres"),
    weight: z.number().describe("Kilograms per item"),
    chargeableWeight: z.number().describe("Kilograms of the whole line: the greater of weight and cubic weight, times the quantity"),
  })
  .meta({ id: "QuotedGoods" });

const surcharge = z
  .object({
    name: z.string().describe("For people"),
    description: z.string().describe("What it is for; empty when nothing is to be said"),
    key: z.string().describe("The same in every quote"),
    amount: z.number().describe("In the organisation's currency, without GST"),
  })
  .meta({ id: "Surcharge" });

const quote = z
  .object({
    rateId: z.string().describe("Names this priced line"),
    serviceName: z.string().describe("For people"),
    serviceId: z.string().describe("The service's alias, for `filters.serviceIds`"),
    rateCardName: z.string().describe("For people"),
    rateCardId: z.string().describe("The rate card's alias, for `filters.rateCardIds`"),
    amount: z.number().describe("Freight, without surcharges and GST"),
    totalAmount: z.number().describe("Freight, surcharges and GST"),
    gstAmount: z.number().describe("The GST in totalAmount"),
    isSpotRate: z.boolean().describe("Whether this is a spot rate"),
    spotRateMessage: z.string().describe("What to know of a spot rate; empty otherwise"),
    deliveryTime: z.string().describe("The transit time in words; empty where it is not known"),
    minTransitTime: z.int().describe("In transitTimeUnit; 0 where it is not known"),
    maxTransitTime: z.int().describe("In transitTimeUnit; 0 where it is not known"),
    transitTimeUnit: z.enum(["H", "D", "W"]).describe("H for hours, D for days, W for weeks"),
    surcharges: z.array(surcharge).describe("Those that apply, the fuel levy last"),
  })
  .meta({ id: "Quote" });

const result = z
  .object({
    customerId: z.string().describe("The customer this result is for"),
    quoteId: z.string().describe("Fetches this result again"),
    noQuoteMessage: z.string().describe("Why nothing could be priced; empty otherwise"),
    quotes: z.array(quote).describe("Cheapest first; empty when no service applies"),
  })
  .meta({ id: "QuoteResult" });

export const quoteResponse = z
  .object({
    origin: location.describe("Where the goods are picked up, as it was found"),
    destination: location.describe("Where they are delivered, as it was found"),
    goods: z.array(goods).describe("The items, with what is charged for"),
    results: z.array(result).describe("One for each customer, in the order they were asked for"),
  })
  .meta({ id: "QuoteResponse" });
