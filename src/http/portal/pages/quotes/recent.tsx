import type { Page } from "../../../../queries/page.js";
import type { ListedQuote } from "../../../../queries/quotes/quoteList.js";
import { DayField } from "../../shell/form.js";
import { type Column, EmptyState, Table } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import type { SignedInVisit } from "../../visit.js";
import { quotesPath } from "./asked.js";

interface Props {
  readonly visit: SignedInVisit;
  readonly found: Page<ListedQuote>;
  readonly customers: readonly { readonly id: string; readonly name: string }[];
}

export function Recent({ visit, found, customers }: Props) {
  const { query, links } = visit;
  const isFiltered = ["customer", "from", "to", "cursor"].some((name) => query[name]);
  return (
    <section class="panel" aria-labelledby="recent">
      <h2 id="recent">Recent quotes</h2>
      <form method="get" action={links.to(quotesPath)} class="in-line filters">
        <div class="field">
          <label for="filter-customer">Customer id</label>
          <input id="filter-customer" name="customer" value={query["customer"]} maxlength={64} autocomplete="off" />
        </div>
        <DayField label="From" name="from" value={query["from"]} />
        <DayField label="To" name="to" value={query["to"]} />
        <button type="submit" class="quiet">
          Filter
        </button>
      </form>
      <form method="get" action={links.to(quotesPath)} class="in-line filters">
        <div class="field">
          <label for="find-quote">Quote id</label>
          <input id="find-quote" name="quote" required maxlength={60} autocomplete="off" />
        </div>
        <button type="submit" class="quiet">
          Find
        </button>
      </form>
      {found.items.length === 0 ? (
        <EmptyState title={isFiltered ? "No quotes found" : "No quotes yet"} />
      ) : (
        <Table caption="Quotes, the newest first" columns={columns(visit, customers)} rows={found.items} />
      )}
      {found.nextCursor === null ? null : (
        <a class="button quiet" href={links.to(`${quotesPath}?${new URLSearchParams({ ...kept(query), cursor: found.nextCursor })}`)}>
          Older
        </a>
      )}
    </section>
  );
}

const kept = (query: SignedInVisit["query"]) =>
  Object.fromEntries(["customer", "from", "to"].flatMap((name) => (query[name] ? [[name, query[name]]] : [])));

const columns = (visit: SignedInVisit, customers: Props["customers"]): readonly Column<ListedQuote>[] => [
  {
    heading: "Quote",
    names: true,
    cell: ({ quoteId, origin, destination }) => (
      <a href={visit.links.to(`${quotesPath}?quote=${quoteId}`)}>
        {origin.suburb} {origin.postalCode} to {destination.suburb} {destination.postalCode}
      </a>
    ),
  },
  { heading: "Customer", cell: ({ customerId }) => customers.find(({ id }) => id === customerId)?.name ?? customerId },
  { heading: "Priced", cell: ({ generatedAt }) => <Time visit={visit} at={new Date(generatedAt)} /> },
  { heading: "Cheapest", cell: ({ cheapest, noQuoteMessage }) => cheapest?.serviceName ?? noQuoteMessage },
  { heading: "Total", number: true, cell: ({ cheapest }) => (cheapest ? cheapest.totalAmount.toFixed(2) : "-") },
];
