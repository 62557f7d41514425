import type { Child } from "hono/jsx";
import { generateQuotes } from "../../../../commands/quotes/generateQuotes.js";
import { Rejection } from "../../../../domain/rejection.js";
import { quoteIdOf } from "../../../../events/quoteEvents.js";
import { explainRequest } from "../../../../queries/quotes/explainQuote.js";
import { type ListedQuote, listQuotes } from "../../../../queries/quotes/quoteList.js";
import { findQuotes } from "../../../../queries/search.js";
import { lookUntilFound } from "../../../../timeLimit.js";
import { defineAnswer, defineForm, oncePerVisit, type PortalDeps, type SignedInVisit, type Subject } from "../../pageDefinition.js";
import { listPage } from "../../shell/listPage.js";
import { EmptyState, Link, Unbroken, withQuery } from "../../shell/parts.js";
import { type Column, column } from "../../shell/table.js";
import { addPath, sectionNames } from "../catalogue/cataloguePaths.js";
import { customerChip, customerColumns, type NameOfCustomer, presentCatalogue, sortedCustomers } from "../customers.js";
import { dayChips, daysIn } from "../days.js";
import { asFormError, QuoteForm, quotesPath, requestOf } from "./quoteForm.js";
import { type Money, moneyIn, QuoteResults } from "./quoteResults.js";

/** The quote that the address names, with the others of its request. */
const shownQuotes = oncePerVisit(async (visit, deps: PortalDeps) => {
  const quoteId = visit.query["quote"]?.trim();
  const shown = quoteId ? await explainRequest(visit.person.organisationId, quoteId, deps) : [];
  if (!shown) throw new Rejection("notFound", "There is no quote with this id");
  return shown;
});

const listedWithinMs = 1_000;

const list = listPage<ListedQuote>({
  path: quotesPath,
  access: "look",
  title: "Quotes",
  of: ["quote", "quotes"],
  caption: "Quotes, newest first",
  heading: "Recent quotes",
  scripts: ["quotes.js"],
  filters: async (visit, deps) => [
    await customerChip(visit, deps),
    ...dayChips(),
    { name: "quote", label: "Quote id", kind: "text", maxlength: 60 },
  ],
  readRows: async (visit, page, deps) => {
    const { organisationId } = visit.person;
    const filter = { customerId: visit.query["customer"] || undefined, ...daysIn(visit) };
    const [named] = page.cursor ? [] : await shownQuotes(visit, deps); // from their stream: the list has them a moment later
    if (named) await lookUntilFound(listedWithinMs, async () => (await findQuotes(organisationId, named.quoteId, deps.pool))[0]);
    return listQuotes(organisationId, filter, page, deps.pool);
  },
  columns: async (visit, deps) => {
    const { catalogue, nameOf } = await presentCatalogue(visit, deps);
    return columns(nameOf, moneyIn(catalogue.currency));
  },
  above: async (visit, deps) => {
    const [shown, { nameOf }] = await Promise.all([shownQuotes(visit, deps), presentCatalogue(visit, deps)]);
    return (
      <>
        {shown.length > 0 ? <QuoteResults quotes={shown} nameOf={nameOf} /> : null}
        {await missingSections(visit, deps)}
        {visit.may("operate") ? <QuoteForm shown={shown} customers={await sortedCustomers(visit, deps)} /> : null}
      </>
    );
  },
  empty: (_, why) => <EmptyState title={why === "none" ? "No quotes yet" : "No quotes found"} />,
});

/** A quote needs both customers and rate cards. */
async function missingSections(visit: SignedInVisit, deps: PortalDeps): Promise<Child> {
  const { file } = (await presentCatalogue(visit, deps)).catalogue;
  const missing = (["customers", "rateCards"] as const).filter((section) => file[section].length === 0);
  if (missing.length === 0) return null;
  return (
    <p class="notice warn">
      A quote needs a customer and a rate card. There is no {missing.map((section) => sectionNames[section].noun).join(" and no ")} yet.{" "}
      {visit.may("catalogue")
        ? missing.map((section) => <Link to={addPath(section)}>Add {sectionNames[section].noun}</Link>)
        : "An admin adds it in the catalogue."}
    </p>
  );
}

const faults = {
  customer: /^Choose at least one customer/,
  "origin.postcode": /^Origin postcode/,
  "origin.suburb": /^Origin suburb/,
  "origin.country": /^Origin country/,
  "destination.postcode": /^Destination postcode/,
  "destination.suburb": /^Destination suburb/,
  "destination.country": /^Destination country/,
};

const quoteForm = defineForm(list.page, { below: "", access: "operate", faults }, async (visit, fields, deps) => {
  const { eventStore, geography } = deps;
  const request = requestOf(fields);
  const { organisationId, by } = visit.person;
  const { catalogueVersion, now, catalogue } = await presentCatalogue(visit, deps);
  const call = { organisationId, catalogueVersion, by, requestId: visit.requestId, now };
  const quoteDeps = { events: eventStore, catalogue, geography };
  const { event } = await generateQuotes(quoteDeps, request, call).catch((error: unknown) => {
    throw asFormError(error);
  });
  return { goTo: `${quotesPath}?quote=${quoteIdOf({ quotesId: event.quotesId, number: 1 })}` };
});

const placeOf = ({ suburb, postalCode }: ListedQuote["origin"]) => `${suburb} ${postalCode}`;

const columns = (nameOf: NameOfCustomer, { cents, currency }: Money): readonly Column<ListedQuote>[] => [
  column("route", "Quote", ({ origin, destination }) => `${placeOf(origin)} to ${placeOf(destination)}`, {
    names: true,
    cell: ({ origin, destination }) => [<Unbroken text={placeOf(origin)} />, " ", <Unbroken text={`to ${placeOf(destination)}`} />],
    link: ({ quoteId }) => withQuery(quotesPath, { quote: quoteId }),
  }),
  ...customerColumns<ListedQuote>(nameOf, ({ customerId }) => customerId),
  column("priced", "Priced", ({ generatedAt }) => new Date(generatedAt)),
  column("cheapest", "Cheapest", ({ cheapest, noQuoteMessage }) => cheapest?.serviceName ?? noQuoteMessage, {
    cell: ({ cheapest, noQuoteMessage }) => (cheapest ? <Unbroken text={cheapest.serviceName} /> : noQuoteMessage),
  }),
  column("total", `Total (${currency})`, ({ cheapest }) => cheapest && { decimal: cheapest.totalAmount.toFixed(2) }, {
    number: true,
    cell: ({ cheapest }) => (cheapest ? cents(cheapest.totalAmount) : "-"),
  }),
  column("quoteId", "Quote id", ({ quoteId }) => quoteId, { onlyInFiles: true }),
];

const longest = 100;

/** Suggests places while a person types a postcode or a suburb. */
const placesAnswer = defineAnswer(`${quotesPath}/places`, "look", async ({ context, query }, { geography }) => {
  const [start = "", country = ""] = [query["start"], query["country"]].map((text) => (text ?? "").trim().slice(0, longest));
  return context.json({ places: geography.suggest(start, country || undefined) }, 200, { ...context.get("answerHeaders") });
});

export const quotes: Subject = { ...list, forms: [quoteForm], answers: [...list.answers, placesAnswer] };
