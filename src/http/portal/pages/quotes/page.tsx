import { v7 as newId } from "uuid";
import { generateQuotes } from "../../../../commands/quotes/generateQuotes.js";
import { Rejection } from "../../../../domain/rejection.js";
import { quoteIdOf } from "../../../../events/quoteEvents.js";
import { presentOf } from "../../../../queries/organisations/organisations.js";
import { explainRequest } from "../../../../queries/quotes/explainQuote.js";
import { listQuotes } from "../../../../queries/quotes/quoteList.js";
import { recentQuotes } from "../../../../queries/quotes/recentQuotes.js";
import { dayEnd, dayStart } from "../../filterDays.js";
import type { FormOf, PageOf } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { ofTheForm, quotesPath, requestOf } from "./asked.js";
import { QuoteForm } from "./quoteForm.js";
import { Recent } from "./recent.js";
import { Results } from "./results.js";

const recentPerPage = 20;

export const quotesPage: PageOf<SignedInVisit> = {
  path: quotesPath,
  access: "look",
  show: async (visit, deps) => {
    const { organisationId, timezone } = visit.person;
    const { catalogueVersion } = await presentOf(deps.pool, organisationId);
    const catalogue = await deps.catalogues(organisationId, catalogueVersion);
    const customers = [...catalogue.customers.values()].sort((a, b) => a.name.localeCompare(b.name));
    const { quote, cursor, customer, from, to } = visit.query;
    const page = { cursor: cursor || undefined, limit: recentPerPage, secret: deps.signingSecret };
    const filter = { customerId: customer || undefined, from: dayStart("From", from, timezone), to: dayEnd("To", to, timezone) };
    const [shown, recent] = await Promise.all([
      quote ? explainRequest(organisationId, quote.trim(), deps) : undefined,
      listQuotes(organisationId, filter, page, deps.pool),
    ]);
    if (quote && !shown) throw new Rejection("notFound", "There is no quote with this id");
    return {
      title: "Quotes",
      scripts: ["quotes.js"],
      body: (
        <>
          {shown ? <Results visit={visit} quotes={shown} nameOf={(id) => catalogue.customers.get(id)?.name} /> : null}
          {visit.may("operate") ? <QuoteForm visit={visit} customers={customers} /> : null}
          <Recent visit={visit} found={recent} customers={customers} />
        </>
      ),
    };
  },
};

const quoteForm: FormOf<SignedInVisit> = {
  path: quotesPath,
  access: "operate",
  page: quotesPage,
  submit: async (visit, fields, { pool, eventStore, catalogues, geography, quoteMemory }) => {
    const request = requestOf(fields);
    const { organisationId, by } = visit.person;
    const { catalogueVersion, now } = await presentOf(pool, organisationId);
    const catalogue = await catalogues(organisationId, catalogueVersion);
    const from = { organisationId, catalogueVersion, by, requestId: visit.requestId, now };
    const quoteDeps = { events: eventStore, catalogue, geography, newId };
    const { event, response } = await generateQuotes(quoteDeps, request, from).catch((error: unknown) => {
      throw ofTheForm(error);
    });
    quoteMemory.keep({ quotesId: event.quotesId, number: 1 }, recentQuotes(event, response), response.length);
    return { goTo: `${quotesPath}?quote=${quoteIdOf({ quotesId: event.quotesId, number: 1 })}` };
  },
};

export const quoteForms = [quoteForm];
