import { v7 as newId } from "uuid";
import { generateQuotes } from "../../../../commands/quotes/generateQuotes.js";
import { Rejection } from "../../../../domain/rejection.js";
import { quoteIdOf } from "../../../../events/quoteEvents.js";
import type { Page } from "../../../../queries/page.js";
import { explainRequest } from "../../../../queries/quotes/explainQuote.js";
import { type ListedQuote, listQuotes } from "../../../../queries/quotes/quoteList.js";
import { recentQuotes } from "../../../../queries/quotes/recentQuotes.js";
import type { AnswerOf, FormOf, PageOf, SignedInVisit } from "../../page.js";
import { Field } from "../../shell/form.js";
import { EmptyState, FilterForm, Pager, Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Time, Unbroken } from "../../shell/values.js";
import { Customer, type NameOfCustomer, presentCatalogue } from "../customers.js";
import { dayEnd, dayStart } from "../days.js";
import { askedFor, itemsLeftOut } from "./asked.js";
import { type Money, moneyIn } from "./money.js";
import { withNewQuotes } from "./newQuotes.js";
import { ofTheForm, QuoteForm, quotesPath, requestOf } from "./quoteForm.js";
import { Results } from "./results.js";

const recentPerPage = 20;

export const quotesPage: PageOf<SignedInVisit> = {
  path: quotesPath,
  access: "look",
  show: async (visit, deps) => {
    const { organisationId, timezone } = visit.person;
    const { catalogue, nameOf } = await presentCatalogue(visit, deps);
    const customers = [...catalogue.customers.values()].sort((a, b) => a.name.localeCompare(b.name));
    const { quote, cursor, customer, from, to } = visit.query;
    const page = { cursor: cursor || undefined, limit: recentPerPage, secret: deps.signingSecret };
    const filter = { customerId: customer || undefined, from: dayStart("From", from, timezone), to: dayEnd("To", to, timezone) };
    const [shown, found] = await Promise.all([
      quote ? explainRequest(organisationId, quote.trim(), deps) : undefined,
      listQuotes(organisationId, filter, page, deps.pool),
    ]);
    if (quote && !shown) throw new Rejection("notFound", "There is no quote with this id");
    const recent = cursor ? found : withNewQuotes(found, shown ?? [], filter);
    return {
      title: "Quotes",
      scripts: ["quotes.js"],
      body: (
        <>
          {shown ? <Results visit={visit} quotes={shown} nameOf={nameOf} /> : null}
          {visit.may("operate") ? (
            <QuoteForm visit={visit} customers={customers} asked={askedFor(shown ?? [])} tooMany={itemsLeftOut(shown ?? [])} />
          ) : null}
          <Recent visit={visit} found={recent} nameOf={nameOf} money={moneyIn(catalogue.currency)} />
        </>
      ),
    };
  },
};

export const quoteForm: FormOf<SignedInVisit> = {
  path: quotesPath,
  access: "operate",
  page: quotesPage,
  submit: async (visit, fields, deps) => {
    const { eventStore, geography, quoteMemory } = deps;
    const request = requestOf(fields);
    const { organisationId, by } = visit.person;
    const { catalogueVersion, now, catalogue } = await presentCatalogue(visit, deps);
    const from = { organisationId, catalogueVersion, by, requestId: visit.requestId, now };
    const quoteDeps = { events: eventStore, catalogue, geography, newId };
    const { event, response } = await generateQuotes(quoteDeps, request, from).catch((error: unknown) => {
      throw ofTheForm(error);
    });
    quoteMemory.keep({ quotesId: event.quotesId, number: 1 }, recentQuotes(event, response), response.length);
    return { goTo: `${quotesPath}?quote=${quoteIdOf({ quotesId: event.quotesId, number: 1 })}` };
  },
};

interface RecentProps {
  readonly visit: SignedInVisit;
  readonly found: Page<ListedQuote>;
  readonly nameOf: NameOfCustomer;
  readonly money: Money;
}

function Recent({ visit, found, nameOf, money }: RecentProps) {
  const { query, links } = visit;
  const { customer, from, to } = query;
  const address = (cursor: string | undefined) => links.to(quotesPath, { customer, from, to, cursor });
  const isFiltered = Boolean(customer || from || to || query["cursor"]);
  return (
    <Panel id="recent" title="Recent quotes">
      <FilterForm visit={visit} path={quotesPath} quiet>
        <Field
          label="Customer id"
          id="filter-customer"
          name="customer"
          value={customer}
          maxlength={64}
          autocomplete="off"
          required={false}
        />
        <Field label="From" name="from" type="date" value={from} required={false} />
        <Field label="To" name="to" type="date" value={to} required={false} />
      </FilterForm>
      <FilterForm visit={visit} path={quotesPath} submit="Find" quiet>
        <Field label="Quote id" name="quote" maxlength={60} autocomplete="off" />
      </FilterForm>
      <Table
        caption="Quotes, newest first"
        columns={columns(visit, nameOf, money)}
        rows={found.items}
        empty={<EmptyState title={isFiltered ? "No quotes found" : "No quotes yet"} />}
      />
      <Pager of="quotes" cursor={query["cursor"] || undefined} nextCursor={found.nextCursor} address={address} />
    </Panel>
  );
}

const columns = (visit: SignedInVisit, nameOf: NameOfCustomer, { cents, currency }: Money): readonly Column<ListedQuote>[] => [
  {
    heading: "Quote",
    names: true,
    cell: ({ quoteId, origin, destination }) => (
      <a href={visit.links.to(quotesPath, { quote: quoteId })}>
        <Unbroken text={`${origin.suburb} ${origin.postalCode}`} /> <Unbroken text={`to ${destination.suburb} ${destination.postalCode}`} />
      </a>
    ),
  },
  { heading: "Customer", cell: ({ customerId }) => <Customer customerId={customerId} nameOf={nameOf} /> },
  { heading: "Priced", cell: ({ generatedAt }) => <Time visit={visit} at={new Date(generatedAt)} /> },
  {
    heading: "Cheapest",
    cell: ({ cheapest, noQuoteMessage }) => (cheapest ? <Unbroken text={cheapest.serviceName} /> : noQuoteMessage),
  },
  { heading: `Total (${currency})`, number: true, cell: ({ cheapest }) => (cheapest ? cents(cheapest.totalAmount) : "-") },
];

const longest = 100;

/** Suggests places while a person types a postcode or a suburb. */
export const placesAnswer: AnswerOf<SignedInVisit> = {
  method: "GET",
  path: `${quotesPath}/places`,
  access: "look",
  answer: async ({ context, query }, { geography }) => {
    const [start = "", country = ""] = [query["start"], query["country"]].map((text) => (text ?? "").trim().slice(0, longest));
    return context.json({ places: geography.suggest(start, country || undefined) }, 200, { ...context.get("answerHeaders") });
  },
};
