// The pages of customers, carriers, services and custom fields: what is recorded of each, and where it is used.
import type { OrganisationFile } from "../../../../domain/catalogue/schema.js";
import { EmptyState, type Fact, Facts, Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import type { OfCatalogue } from "./lists.js";
import { changePath, NamedThing, Thing, Things, UnderThing } from "./parts.js";
import { Cards, Change, thingPage, UsedBy } from "./things.js";

const customerPage = thingPage("customers", (of, { id, name, carrierIds, rateCardIds }) => {
  const { visit, file, catalogue } = of;
  const carriers = file.carriers.filter((carrier) => carrierIds.includes(carrier.id));
  const labels = new Map(file.customFields.map(({ key, label }) => [key, label]));
  const mandatory = catalogue.mandatoryCustomFields(id).map((key) => ({ id: key, label: labels.get(key) ?? key }));
  const facts: Fact[] = [
    ["Carriers", <Things visit={visit} section="carriers" of={carriers.map((carrier) => ({ id: carrier.id, label: carrier.name }))} />],
    ["Mandatory custom fields", <Things visit={visit} section="customFields" of={mandatory} />],
  ];
  return {
    title: name,
    body: (
      <>
        <UnderThing visit={visit} list="customers" label="All customers" id={id} />
        <Panel id="customer" title="Customer">
          <Facts facts={facts} />
          <Change visit={visit} to={changePath("customers", id)} />
        </Panel>
        <Cards
          of={of}
          cards={rateCardIds.flatMap((card) => file.rateCards.filter((each) => each.id === card))}
          empty="No rate cards yet. Without one, this customer cannot get a quote"
        />
        <Panel id="used" title="Recorded for this customer">
          <ul class="plain-list">
            <li>
              <a href={visit.links.to("/portal/shipments", { customer: id })}>Shipments</a>
            </li>
            <li>
              <a href={visit.links.to("/portal/activities", { customer: id })}>Activities of this month</a>
            </li>
          </ul>
        </Panel>
      </>
    ),
  };
});

const carrierPage = thingPage("carriers", (of, { id, name, mandatoryCustomFields }) => {
  const { visit, file } = of;
  const labels = new Map(file.customFields.map(({ key, label }) => [key, label]));
  const fields = mandatoryCustomFields.map((key) => ({ id: key, label: labels.get(key) ?? key }));
  const services = file.services.filter(({ carrierId }) => carrierId === id);
  return {
    title: name,
    body: (
      <>
        <UnderThing visit={visit} list="carriers" label="All carriers and services" id={id} />
        <Panel id="carrier" title="Carrier">
          <Facts facts={[["Mandatory custom fields", <Things visit={visit} section="customFields" of={fields} />]]} />
        </Panel>
        <Panel id="services" title="Services">
          <Table
            caption="Services of this carrier"
            columns={serviceColumns(of)}
            rows={services}
            empty={<EmptyState title="No services" />}
          />
        </Panel>
        <UsedBy of={of} section="carriers" id={id} customers={file.customers.filter(({ carrierIds }) => carrierIds.includes(id))} />
      </>
    ),
  };
});

const serviceColumns = ({ visit, file }: OfCatalogue): readonly Column<OrganisationFile["services"][number]>[] => [
  {
    heading: "Service",
    names: true,
    cell: ({ id, name }) => <NamedThing visit={visit} section="services" id={id} name={name} />,
  },
  { heading: "Type", cell: ({ type }) => type },
  { heading: "Class", cell: (service) => service.class },
  { heading: "Rate cards", number: true, cell: ({ id }) => file.rateCards.filter(({ serviceId }) => serviceId === id).length },
];

const servicePage = thingPage("services", (of, service) => {
  const { visit, file } = of;
  const { id, name, carrierId, type, cubicFactor } = service;
  const carrier = file.carriers.find((each) => each.id === carrierId);
  const factor = `${cubicFactor ?? file.organisation.cubicFactor} kg per cubic metre`;
  return {
    title: name,
    body: (
      <>
        <UnderThing visit={visit} list="carriers" label="All carriers and services" id={id} />
        <Panel id="service" title="Service">
          <Facts
            facts={[
              ["Carrier", <Thing visit={visit} section="carriers" id={carrierId} label={carrier?.name ?? carrierId} />],
              ["Type", type],
              ["Class", service.class],
              ["Cubic factor", cubicFactor === undefined ? `${factor}, the organisation's` : factor],
            ]}
          />
        </Panel>
        <Cards of={of} cards={file.rateCards.filter(({ serviceId }) => serviceId === id)} empty="No rate card prices this service" />
      </>
    ),
  };
});

const customFieldPage = thingPage("customFields", (of, { key, label }) => {
  const { visit, file, catalogue } = of;
  const demanding = file.carriers.filter(({ mandatoryCustomFields }) => mandatoryCustomFields.includes(key));
  const customers = file.customers.filter(({ id }) => catalogue.mandatoryCustomFields(id).includes(key));
  return {
    title: label,
    body: (
      <>
        <UnderThing visit={visit} list="custom-fields" label="All custom fields" />
        <Panel id="custom-field" title="Custom field">
          <Facts
            facts={[
              ["Key", <code>{key}</code>],
              ["Column of a file", <code>{`customFields.${key}`}</code>],
              ["Mandatory for", <Things visit={visit} section="carriers" of={demanding.map(({ id, name }) => ({ id, label: name }))} />],
            ]}
          />
          <Change visit={visit} to={changePath("customFields", key)} />
        </Panel>
        <UsedBy of={of} section="customFields" id={key} customers={customers} />
      </>
    ),
  };
});

export const thingPages = [customerPage, carrierPage, servicePage, customFieldPage];
