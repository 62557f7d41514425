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
import { EmptyState, Link, Unbroken, withQuery } from "../../shell/markup.js";
import { type Column, column } from "../../shell/table.js";
import { addPath, sectionNames } from "../catalogue/cataloguePaths.js";
import { currentCatalogue, customerChip, customerColumns, type NameOfCustomer, sortedCustomers } from "../customers.js";
import { dayChips, daysFromQuery } from "../days.js";
import { asFormError, QuoteForm, quoteRequestOf, quotesPath } from "./quoteForm.js";
import { type Money, moneyIn, QuoteResults } from "./quoteResults.js";

/** The quote in the address, with the other quotes of its request. Empty if the address has no quote. */
const shownQuotes = oncePerVisit(async (visit, deps: PortalDeps) => {
  const quoteId = visit.query["quote"]?.trim();
  const shown = quoteId ? await explainRequest(visit.person.organisationId, quoteId, deps) : [];
  if (!shown) throw new Rejection("notFound", "There is no quote with this id");
  return shown;
});

const maxListWaitMs = 1_000;

const quotesList = listPage<ListedQuote>({
  path: quotesPath,
  access: "look",
  title: "Quotes",
  noun: ["quote", "quotes"],
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
    const filter = { customerId: visit.query["customer"] || undefined, ...daysFromQuery(visit) };
    const [shownQuote] = page.cursor ? [] : await shownQuotes(visit, deps); // from their stream, before the list has them
    if (shownQuote) await lookUntilFound(maxListWaitMs, async () => (await findQuotes(organisationId, shownQuote.quoteId, deps.pool))[0]);
    return listQuotes(organisationId, filter, page, deps.pool);
  },
  columns: async (visit, deps) => {
    const { catalogue, nameOf } = await currentCatalogue(visit, deps);
    return quoteColumns(nameOf, moneyIn(catalogue.currency));
  },
  aboveTable: async (visit, deps) => {
    const [shown, { nameOf }] = await Promise.all([shownQuotes(visit, deps), currentCatalogue(visit, deps)]);
    return (
      <>
        {shown.length > 0 ? <QuoteResults quotes={shown} nameOf={nameOf} /> : null}
        {await missingSectionsNotice(visit, deps)}
        {visit.may("operate") ? <QuoteForm quotes={shown} customers={await sortedCustomers(visit, deps)} /> : null}
      </>
    );
  },
  empty: (_, why) => <EmptyState title={why === "none" ? "No quotes yet" : "No quotes found"} />,
});

/** A quote needs a customer and a rate card. Null if the catalogue has both. */
async function missingSectionsNotice(visit: SignedInVisit, deps: PortalDeps): Promise<Child> {
  const { file } = (await currentCatalogue(visit, deps)).catalogue;
  const missing = (["customers", "rateCards"] as const).filter((section) => file[section].length === 0);
  if (missing.length === 0) return null;
  return (
    <p class="notice warn">
      A quote needs a customer and a rate card. There is no {missing.map((section) => sectionNames[section].noun).join(" and no ")} yet.{" "}
      {visit.may("catalogue")
        ? missing.map((section) => <Link to={addPath(section)}>Add {sectionNames[section].noun}</Link>)
        : "An admin can add what is missing, in the catalogue."}
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

const newQuoteForm = defineForm(quotesList.page, { subPath: "", access: "operate", faults }, async (visit, fields, deps) => {
  const { eventStore, geography } = deps;
  const request = quoteRequestOf(fields);
  const { organisationId, by } = visit.person;
  const { catalogueVersion, now, catalogue } = await currentCatalogue(visit, deps);
  const call = { organisationId, catalogueVersion, by, requestId: visit.requestId, now };
  const quoteDeps = { eventStore, catalogue, geography };
  const { event } = await generateQuotes(quoteDeps, request, call).catch((error: unknown) => {
    throw asFormError(error);
  });
  return { goTo: `${quotesPath}?quote=${quoteIdOf({ quotesId: event.quotesId, number: 1 })}` };
});

const placeText = ({ suburb, postalCode }: ListedQuote["origin"]) => `${suburb} ${postalCode}`;

const quoteColumns = (nameOf: NameOfCustomer, { cents, currency }: Money): readonly Column<ListedQuote>[] => [
  column("route", "Quote", ({ origin, destination }) => `${placeText(origin)} to ${placeText(destination)}`, {
    isRowHeader: true,
    cell: ({ origin, destination }) => [<Unbroken text={placeText(origin)} />, " ", <Unbroken text={`to ${placeText(destination)}`} />],
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

const maxSearchLength = 100;

/** Suggests places while a person types a postcode or a suburb. */
const placesAnswer = defineAnswer(`${quotesPath}/places`, "look", async ({ context, query }, { geography }) => {
  const [start = "", country = ""] = [query["start"], query["country"]].map((text) => (text ?? "").trim().slice(0, maxSearchLength));
  return context.json({ places: geography.suggest(start, country || undefined) }, 200, { ...context.get("answerHeaders") });
});

export const quotes: Subject = { ...quotesList, forms: [newQuoteForm], answers: [...quotesList.answers, placesAnswer] };
