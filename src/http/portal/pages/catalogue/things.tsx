// What the pages of single things are made of.
import type { Child } from "hono/jsx";
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { withQuery } from "../../links.js";
import type { PageOf, SignedInVisit } from "../../page.js";
import { ButtonLink } from "../../shell/form.js";
import { Badge, EmptyState, Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { presentCatalogue } from "../customers.js";
import { catalogueLists, type OfCatalogue, stateOfCard } from "./lists.js";
import { daysInWords, NamedThing, partOf, requireThing, type Section, thingPath, thingRoute } from "./parts.js";

/** A page of one thing. */
export const thingPage = <S extends Section>(
  section: S,
  body: (of: OfCatalogue, entry: OrganisationFile[S][number]) => { readonly title: string; readonly body: Child },
): PageOf<SignedInVisit> => ({
  path: thingRoute(section),
  access: "look",
  show: async (visit, deps) => {
    const { catalogue, now } = await presentCatalogue(visit, deps);
    return body({ visit, catalogue, file: catalogue.file, now }, requireThing(visit, catalogue.file, section));
  },
});

export const Change = ({ visit, to, label = "Change" }: { visit: SignedInVisit; to: string; label?: string }) =>
  visit.may("catalogue") ? (
    <p class="button-row">
      <ButtonLink to={visit.links.to(to)} label={label} quiet />
    </p>
  ) : null;

type Customers = OrganisationFile["customers"];

/** The customers that use a thing, in pages. */
export function UsedBy({ of, section, id, customers }: { of: OfCatalogue; section: Section; id: string; customers: Customers }) {
  const { visit } = of;
  const address = (from: string | undefined) => withQuery(thingPath(section, id), { from });
  const { rows, pager } = partOf(visit, customers, "customers", address);
  return (
    <Panel id="customers" title="Customers">
      <Table
        caption="Customers that use it"
        columns={catalogueLists[0].columns(of, rows)}
        rows={rows}
        empty={<EmptyState title="No customer uses it" />}
      />
      {pager}
    </Panel>
  );
}

/** Rate cards with their service and their days. */
export function Cards({ of, cards, empty }: { of: OfCatalogue; cards: OrganisationFile["rateCards"]; empty: string }) {
  const { visit, catalogue, now } = of;
  const columns: readonly Column<OrganisationFile["rateCards"][number]>[] = [
    {
      heading: "Rate card",
      names: true,
      cell: ({ id, name }) => <NamedThing visit={visit} section="rateCards" id={id} name={name} />,
    },
    { heading: "Service", cell: ({ serviceId }) => catalogue.services.get(serviceId)?.name ?? serviceId },
    { heading: "Validity", cell: daysInWords },
    { heading: "State", cell: (card) => <Badge state={stateOfCard(card, catalogue.today(now), now)} /> },
  ];
  return (
    <Panel id="rate-cards" title="Rate cards">
      <Table caption="Rate cards" columns={columns} rows={cards} empty={<EmptyState title={empty} />} />
    </Panel>
  );
}
