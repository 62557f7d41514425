import type { OrganisationFileInput } from "../../../src/domain/catalogue/schema.js";

/** The organisation file of the design document, with a second city so that its lane has two ends. */
export function sampleFile(): OrganisationFileInput {
  return {
    organisation: { id: "demo", name: "Demo 3PL", cubicFactor: 250, timezone: "Australia/Sydney" },
    customFields: [{ key: "costCentre", label: "Cost centre" }],
    carriers: [{ id: "roadco", name: "RoadCo", mandatoryCustomFields: ["costCentre"] }],
    services: [{ id: "roadco-std", carrierId: "roadco", name: "Road Standard", type: "DOMESTIC", class: "STANDARD", cubicFactor: 250 }],
    zoneMaps: [
      {
        id: "hubs",
        zones: [
          { zone: "SYD", country: "AU", postcodes: ["2000-2249", "2555-2574"] },
          { zone: "MEL", country: "AU", postcodes: ["3000-3207"] },
          { zone: "NZ", country: "NZ" },
        ],
      },
    ],
    rateCards: [
      {
        id: "road-2026",
        name: "Road 2026",
        serviceId: "roadco-std",
        zoneMapId: "hubs",
        validFrom: "2026-01-01",
        validTo: null,
        breakMethod: "total",
        lanes: [
          {
            from: "SYD",
            to: "MEL",
            basic: 12.5,
            perKg: 0.42,
            minimum: 20,
            breaks: [{ fromKg: 500, perKg: 0.38 }],
            transit: { min: 1, max: 2, unit: "D" },
          },
        ],
        fuelLevyPercent: 22.5,
        surcharges: [
          {
            key: "OVERSIZE",
            name: "Oversize",
            description: "An item longer than 2 m",
            when: { itemLongerThan: 2 },
            charge: { perItem: 40 },
            fuelApplies: false,
          },
        ],
        spot: null,
      },
    ],
    customers: [{ id: "CUST-001", name: "Acme Retail", carrierIds: ["roadco"], rateCardIds: ["road-2026"] }],
  };
}
