import type { OrganisationFileInput } from "../domain/catalogue/schema.js";
import { demoRateCards } from "./demoRateCards.js";
import { demoZones } from "./demoZones.js";

/** CUST-001 needs no custom field, so that a first import succeeds. CUST-003 shows a mandatory custom field. */
export const demoOrganisation: OrganisationFileInput = {
  organisation: { id: "demo", name: "Demo 3PL", cubicFactor: 250, timezone: "Australia/Sydney" },
  customFields: [
    { key: "costCentre", label: "Cost centre" },
    { key: "purchaseOrder", label: "Purchase order" },
  ],
  carriers: [
    { id: "roadco", name: "RoadCo", mandatoryCustomFields: [] },
    { id: "swift", name: "Swift Express", mandatoryCustomFields: [] },
    { id: "globalair", name: "GlobalAir", mandatoryCustomFields: ["costCentre"] },
  ],
  services: [
    { id: "roadco-std", carrierId: "roadco", name: "Road Standard", type: "DOMESTIC", class: "STANDARD", cubicFactor: 250 },
    { id: "roadco-exp", carrierId: "roadco", name: "Road Express", type: "DOMESTIC", class: "EXPRESS", cubicFactor: 250 },
    { id: "swift-overnight", carrierId: "swift", name: "Overnight", type: "DOMESTIC", class: "OVERNIGHT", cubicFactor: 250 },
    { id: "globalair-intl", carrierId: "globalair", name: "International Air", type: "INTERNATIONAL", class: "STANDARD", cubicFactor: 167 },
  ],
  zoneMaps: [
    { id: "australia", zones: demoZones.map(({ zone, postcodes }) => ({ zone, country: "AU", postcodes: [...postcodes] })) },
    { id: "world", zones: ["AU", "NZ", "US", "CA", "GB", "SG"].map((country) => ({ zone: country, country })) },
  ],
  rateCards: demoRateCards,
  customers: [
    {
      id: "CUST-001",
      name: "Acme Retail",
      carrierIds: ["roadco", "swift"],
      rateCardIds: ["road-standard", "road-express", "overnight", "road-spot-syd-mel"],
    },
    { id: "CUST-002", name: "Birch and Sons Furniture", carrierIds: ["roadco"], rateCardIds: ["road-volume", "road-express"] },
    { id: "CUST-003", name: "Coastal Medical", carrierIds: ["swift", "globalair"], rateCardIds: ["overnight", "international-air"] },
  ],
};
