// A second version of an organisation's catalogue: a card with many lanes and breaks, and a few changes for the pages to show.
import { applyOrganisation } from "../../../src/commands/organisations/organisation.js";
import type { OrganisationFile } from "../../../src/domain/catalogue/schema.js";
import { catalogueAt } from "../../../src/queries/organisations/organisations.js";
import type { organisationFile } from "../organisationFile.js";
import type { TestService } from "../service.js";
import type { TestMember } from "./portal.js";

/** Applies the organisation's last catalogue with a change, as a member does. */
export async function changeCatalogue(
  { pool, portal }: TestService,
  organisationId: string,
  { memberId }: Pick<TestMember, "memberId">,
  change: (file: OrganisationFile) => void,
): Promise<number> {
  const { rows } = await pool.query<{ version: number }>("select catalogue_version as version from organisations where id = $1", [
    organisationId,
  ]);
  const file = await catalogueAt(organisationId, rows[0]?.version ?? 0, pool);
  if (!file) throw new Error(`${organisationId} has no catalogue`);
  change(file);
  const origin = { by: { kind: "member", id: memberId }, correlationId: "test" } as const;
  return (await applyOrganisation(portal.organisations, file, origin)).version;
}

const zones = ["SYD", "MEL"];

/** The id of a thing that no other organisation has: a carrier, its service, a zone map, a custom field and a rate card. */
export const ownOf = (organisationId: string) => `${organisationId}-own`;

/** What a first version has besides the usual. */
export function addOwnThings(file: ReturnType<typeof organisationFile>): void {
  const id = ownOf(file.organisation.id);
  file.customFields.push({ key: id, label: "Dock door" });
  file.carriers.push({ id, name: "Harbour Rail", mandatoryCustomFields: [] });
  file.services.push({ id, carrierId: id, name: "Rail Freight", type: "DOMESTIC", class: "ECONOMY", cubicFactor: 200 });
  file.zoneMaps.push({ id, zones: structuredClone(file.zoneMaps[0]?.zones ?? []) });
}

export const addSecondVersion = (service: TestService, organisationId: string, member: TestMember): Promise<number> =>
  changeCatalogue(service, organisationId, member, (file) => {
    const [card] = file.rateCards;
    const [lane] = card?.lanes ?? [];
    if (!card || !lane) throw new Error("the organisation has no rate card");
    lane.perKg = 0.44;
    card.validTo = "2027-06-30";
    file.rateCards.push({
      ...card,
      id: ownOf(organisationId),
      name: "Rail 2027",
      serviceId: ownOf(organisationId),
      zoneMapId: ownOf(organisationId),
      breakMethod: "cumulative",
      validFrom: "2027-01-01",
      validTo: null,
      lanes: zones.flatMap((from) =>
        [...zones, "*"].map((to) => ({
          ...{ from, to, basic: 18.5, perKg: 1.125, minimum: 35 },
          breaks: [
            { fromKg: 100, perKg: 0.98 },
            { fromKg: 500, perKg: 0.86 },
          ],
        })),
      ),
      surcharges: [
        {
          ...{ key: "OVERSIZE", name: "Oversize", description: "An item longer than 2 m" },
          ...{ when: { itemLongerThan: 2, destinationZones: ["MEL"] }, charge: { perItem: 40 }, fuelApplies: true },
        },
      ],
    });
  });
