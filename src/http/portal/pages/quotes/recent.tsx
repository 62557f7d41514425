import type { Page } from "../../../../queries/page.js";
import type { ListedQuote } from "../../../../queries/quotes/quoteList.js";
import { Field } from "../../shell/form.js";
import { FilterForm, Pager } from "../../shell/list.js";
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
  const { customer, from, to } = query;
  const address = (cursor: string | undefined) => links.to(quotesPath, { customer, from, to, cursor });
  const isFiltered = Boolean(customer || from || to || query["cursor"]);
  return (
    <section class="panel" aria-labelledby="recent">
      <h2 id="recent">Recent quotes</h2>
      <FilterForm visit={visit} path={quotesPath} quiet>
        <Field label="Customer id" id="filter-customer" name="customer" value={customer} maxlength={64} {...optional} />
        <Field label="From" name="from" type="date" value={from} required={false} />
        <Field label="To" name="to" type="date" value={to} required={false} />
      </FilterForm>
      <FilterForm visit={visit} path={quotesPath} submit="Find" quiet>
        <Field label="Quote id" name="quote" maxlength={60} autocomplete="off" />
      </FilterForm>
      {found.items.length === 0 ? (
        <EmptyState title={isFiltered ? "No quotes found" : "No quotes yet"} />
      ) : (
        <Table caption="Quotes, the newest first" columns={columns(visit, customers)} rows={found.items} />
      )}
      <Pager of="quotes" cursor={query["cursor"] || undefined} nextCursor={found.nextCursor} address={address} />
    </section>
  );
}

const optional = { autocomplete: "off", required: false } as const;

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
