/** A small organisation: one carrier that demands a cost centre, one that demands nothing, and a rate card from Sydney to Melbourne. */
export function organisationFile(id: string) {
  return {
    organisation: { id, name: `Organisation ${id}`, cubicFactor: 250, timezone: "Australia/Sydney" },
    customFields: [
      { key: "costCentre", label: "Cost centre" },
      { key: "project", label: "Project" },
    ],
    carriers: [
      { id: "roadco", name: "RoadCo", mandatoryCustomFields: ["costCentre"] },
      { id: "airco", name: "AirCo", mandatoryCustomFields: [] as string[] },
    ],
    services: [{ id: "roadco-std", carrierId: "roadco", name: "Road Standard", type: "DOMESTIC", class: "STANDARD", cubicFactor: 250 }],
    zoneMaps: [
      {
        id: "hubs",
        zones: [
          { zone: "SYD", country: "AU", postcodes: ["2000-2249"] },
          { zone: "MEL", country: "AU", postcodes: ["3000-3207"] },
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
        surcharges: [] as unknown[],
        spot: null,
      },
    ],
    customers: [
      { id: "CUST-001", name: "Acme Retail", carrierIds: ["airco"], rateCardIds: ["road-2026"] },
      { id: "CUST-002", name: "Beta Books", carrierIds: ["roadco"], rateCardIds: [] as string[] },
    ],
  };
}
