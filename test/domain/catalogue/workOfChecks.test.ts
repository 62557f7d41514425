import { expect, test } from "vitest";
import { compileCatalogue } from "../../../src/domain/catalogue/catalogue.js";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import { type OrganisationFileInput, organisationFile } from "../../../src/domain/catalogue/schema.js";
import { countedCalls } from "../../support/countedCalls.js";
import { sampleFile } from "./sample.js";

const many = <Entry>(count: number, make: (n: number) => Entry): Entry[] => Array.from({ length: count }, (_, n) => make(n));
const letters = (n: number) => String.fromCharCode(65 + (n % 26), 65 + (Math.floor(n / 26) % 26));

/** Cards of one service that are all valid at once, each with lanes of its own. */
function cards(count: number, lanes: number): Pick<OrganisationFileInput, "zoneMaps" | "rateCards"> {
  const zones = many(count * lanes, (n) => ({ zone: `z${n}`, country: "AU", postcodes: [String(1000 + n)] }));
  const card = { name: "Road", serviceId: "roadco-std", zoneMapId: "hubs", validFrom: "2026-01-01" };
  const laneOf = (place: number) => (n: number) => ({ from: `z${place * lanes + n}`, to: "*" });
  return {
    zoneMaps: [{ id: "hubs", zones }],
    rateCards: many(count, (place) => ({ ...card, id: `card-${place}`, lanes: many(lanes, laneOf(place)) })),
  };
}

const customer = (n: number) => ({ id: `CUST-${n}`, name: "Acme Retail" });

/** By what grows with `scale`: files in which one list refers to another, both of them long. */
const files: Record<string, (scale: number) => OrganisationFileInput> = {
  "customers that share many cards": (scale) => ({
    ...sampleFile(),
    ...cards(30 * scale, 1),
    customers: many(30 * scale, (n) => ({ ...customer(n), rateCardIds: many(30 * scale, (place) => `card-${place}`) })),
  }),
  "cards with many lanes": (scale) => ({
    ...sampleFile(),
    ...cards(30 * scale, 12),
    customers: many(1, (n) => ({ ...customer(n), rateCardIds: many(30 * scale, (place) => `card-${place}`) })),
  }),
  "zones of many countries": (scale) => ({
    ...sampleFile(),
    zoneMaps: [{ id: "hubs", zones: many(100 * scale, (n) => ({ zone: `z${n}`, country: letters(n), postcodes: [`${n}`] })) }],
    rateCards: [],
    customers: [],
  }),
};

test.each(Object.entries(files))("the work to check and to compile %s grows with the size of the file, and not faster", async (_, make) => {
  const callsPerByte = async (scale: number) => {
    const file = make(scale);
    const work = () => {
      parseOrganisationFile(file);
      compileCatalogue(organisationFile.parse(file));
    };
    return (await countedCalls("/src/domain/catalogue/", work)) / JSON.stringify(file).length;
  };
  const [small, large] = [await callsPerByte(1), await callsPerByte(4)];
  expect(small).toBeGreaterThan(0);
  expect(large / small).toBeLessThan(1.3);
});
