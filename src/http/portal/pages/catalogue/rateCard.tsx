import type { Lane, RateCard, Surcharge } from "../../../../domain/catalogue/schema.js";
import { withQuery } from "../../links.js";
import { Field } from "../../shell/form.js";
import { Badge, EmptyState, type Fact, Facts, FilterForm, Panel } from "../../shell/panel.js";
import { type Column, Table } from "../../shell/table.js";
import { Time } from "../../shell/values.js";
import { type OfCatalogue, stateOfCard } from "./lists.js";
import { daysInWords, partOf, searchIn, Thing, thingPath, UnderThing, validityPath } from "./parts.js";
import { Change, thingPage, UsedBy } from "./things.js";

export const rateCardPage = thingPage("rateCards", (of, card) => {
  const { visit, file } = of;
  return {
    title: card.name,
    body: (
      <>
        <UnderThing visit={visit} list="rate-cards" label="All rate cards" id={card.id} />
        <Panel id="rate-card" title="Rate card">
          <Facts facts={factsOf(of, card)} />
          <Change visit={visit} to={validityPath(card.id)} label="Change validity" />
        </Panel>
        <Lanes of={of} card={card} />
        <Panel id="surcharges" title="Surcharges">
          <Table
            caption="Surcharges"
            columns={surchargeColumns}
            rows={card.surcharges}
            empty={<EmptyState title="No surcharges besides the fuel levy" />}
          />
        </Panel>
        <UsedBy
          of={of}
          section="rateCards"
          id={card.id}
          customers={file.customers.filter(({ rateCardIds }) => rateCardIds.includes(card.id))}
        />
      </>
    ),
  };
});

const breakMethods: Readonly<Record<RateCard["breakMethod"], string>> = {
  total: "The whole weight is priced at the rate of the break it reaches",
  cumulative: "Each break prices only the kilograms within it",
};

function factsOf({ visit, catalogue, now }: OfCatalogue, card: RateCard): Fact[] {
  const { serviceId, zoneMapId, breakMethod, fuelLevyPercent, spot } = card;
  return [
    [
      "Validity",
      <span class="endpoint-state">
        {daysInWords(card)} <Badge state={stateOfCard(card, catalogue.today(now), now)} />
      </span>,
    ],
    ["Service", <Thing visit={visit} section="services" id={serviceId} label={catalogue.services.get(serviceId)?.name ?? serviceId} />],
    ["Zone map", <Thing visit={visit} section="zoneMaps" id={zoneMapId} />],
    ["Weight breaks", breakMethods[breakMethod]],
    ["Fuel levy", `${fuelLevyPercent}%`],
    ...(spot
      ? ([
          [
            "Spot rate",
            <span>
              Until <Time visit={visit} at={new Date(spot.expiresAt)} />
              {spot.message === "" ? "" : `: ${spot.message}`}
            </span>,
          ],
        ] as Fact[])
      : []),
  ];
}

function Lanes({ of: { visit }, card }: { of: OfCatalogue; card: RateCard }) {
  const search = searchIn(visit, "zone");
  const wanted = search.toLowerCase();
  const found = card.lanes.filter(({ from, to }) => wanted === "" || [from, to].some((end) => end.toLowerCase() === wanted));
  // `lane` is the place in this list: `from` is that of the customers below.
  const address = (lane: string | undefined) => withQuery(thingPath("rateCards", card.id), { zone: search, lane });
  const { rows, pager } = partOf(visit, found, "lanes", address, "lane");
  return (
    <Panel id="lanes" title="Lanes">
      {card.lanes.length > 10 ? (
        <FilterForm
          visit={visit}
          path={thingPath("rateCards", card.id)}
          submit="Search"
          all={search === "" ? undefined : visit.links.to(thingPath("rateCards", card.id))}
        >
          <Field label="Zone at either end" name="zone" value={search} maxlength={64} autocomplete="off" required={false} />
        </FilterForm>
      ) : null}
      <Table caption="Lanes" columns={laneColumns} rows={rows} empty={<EmptyState title="No lanes match this zone" />} />
      {pager}
    </Panel>
  );
}

const units = { H: "hours", D: "business days", W: "weeks" } as const;
const laneInWords = ({ from, to }: Pick<Lane, "from" | "to">) => `${from === "*" ? "Any zone" : from} to ${to === "*" ? "any zone" : to}`;

const laneColumns: readonly Column<Lane>[] = [
  { heading: "Lane", names: true, cell: laneInWords },
  { heading: "Basic", number: true, cell: ({ basic }) => decimal(basic) },
  { heading: "Per kg", number: true, cell: ({ perKg }) => decimal(perKg) },
  { heading: "Breaks", cell: ({ breaks }) => <Breaks breaks={breaks} /> },
  { heading: "Minimum", number: true, cell: ({ minimum }) => decimal(minimum) },
  { heading: "Transit", cell: ({ transit }) => transitInWords(transit) },
];

/** At least two decimals, and all that there are. */
const decimal = (value: number): string => {
  const [whole = "", fraction = ""] = String(value).split(".");
  return `${whole}.${fraction.padEnd(2, "0")}`;
};

function Breaks({ breaks }: Pick<Lane, "breaks">) {
  if (breaks.length === 0) return <span class="muted">None</span>;
  return (
    <ul class="breaks">
      {breaks.map(({ fromKg, perKg }) => (
        <li>
          {decimal(perKg)} from {fromKg} kg
        </li>
      ))}
    </ul>
  );
}

function transitInWords(transit: Lane["transit"]) {
  if (!transit) return <span class="muted">Not known</span>;
  const { min, max, unit } = transit;
  return `${min === max ? min : `${min}-${max}`} ${units[unit]}`;
}

const chargeWords: Readonly<Record<string, (amount: number) => string>> = {
  flat: (amount) => `${decimal(amount)} per consignment`,
  perItem: (amount) => `${decimal(amount)} per item`,
  perKg: (amount) => `${decimal(amount)} per kg`,
  percentOfFreight: (amount) => `${amount}% of the freight`,
};

const conditionWords: Readonly<Record<string, (value: unknown) => string>> = {
  always: () => "always",
  itemLongerThan: (metres) => `an item longer than ${metres} m`,
  itemHeavierThan: (kg) => `an item heavier than ${kg} kg`,
  destinationZones: (zones) => `to ${(zones as string[]).join(", ")}`,
  originZones: (zones) => `from ${(zones as string[]).join(", ")}`,
  itemTypes: (types) => `items of type ${(types as string[]).join(", ")}`,
  declaredValueOver: (value) => `a declared value over ${value}`,
};

const inWords = (words: Readonly<Record<string, (value: never) => string>>, given: object): string =>
  Object.entries(given)
    .map(([key, value]) => words[key]?.(value as never) ?? key)
    .join(", ");

const surchargeColumns: readonly Column<Surcharge>[] = [
  {
    heading: "Surcharge",
    names: true,
    cell: ({ key, name }) => (
      <span class="named">
        {name} <span class="muted customer-id">{key}</span>
      </span>
    ),
  },
  { heading: "When", cell: ({ when }) => inWords(conditionWords, when) },
  { heading: "Charge", cell: ({ charge }) => inWords(chargeWords, charge) },
  { heading: "Fuel levy on it", cell: ({ fuelApplies }) => (fuelApplies ? "Yes" : "No") },
];
