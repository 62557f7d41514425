// Requests of the demo organisation, as the reference shows them. A test sends each, and records what is answered in answers.json.

interface ExampleFile {
  readonly name: string;
  readonly text: string;
}

export interface ExampleRequest {
  readonly body?: unknown;
  readonly file?: ExampleFile;
  readonly sourceDetails?: string;
}

const line = (...cells: string[]) => cells.join(",");

const shipments = [
  line(
    "shipmentId",
    "customerId",
    "originPostCode",
    "originSuburb",
    "destinationPostCode",
    "destinationSuburb",
    "itemType",
    "itemQuantity",
  ),
  line("SO-1003", "CUST-001", "2000", "Sydney", "3000", "Melbourne", "CARTON", "4"),
  line("SO-1003", "CUST-001", "2000", "Sydney", "3000", "Melbourne", "PALLET", "1"),
  line("SO-1004", "CUST-001", "2000", "Sydney", "9999", "Nowhere", "CARTON", "2"),
];

const activities = [
  line("warehouseCode", "chargeCode", "quantity", "activityTimestamp", "customerId", "reference"),
  line("SYD1", "PICK", "12", "2026-07-01T09:30:00+10:00", "CUST-001", "SO-1003"),
  line("SYD1", "PICK", "some", "2026-07-01T09:40:00+10:00", "CUST-001", "SO-1004"),
];

export const exampleRequests: Readonly<Record<string, ExampleRequest>> = {
  generateQuotes: {
    body: {
      general: { customerIds: ["CUST-001"] },
      origin: { postalCode: "2000", suburbName: "Sydney" },
      destination: { postalCode: "3000", suburbName: "Melbourne" },
      items: [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30, type: "CARTON" }],
      filters: { serviceTypes: ["DOMESTIC"] },
    },
  },
  pushShipments: {
    body: {
      sourceDetails: "Monday's orders",
      shipments: [
        {
          shipmentId: "SO-1001",
          customerId: "CUST-001",
          originPostCode: "2000",
          originSuburb: "Sydney",
          originState: "NSW",
          destinationPostCode: "3000",
          destinationSuburb: "Melbourne",
          destinationState: "VIC",
          quoteDate: "2026-07-01",
          customFields: { purchaseOrder: "PO-7781" },
          items: [
            { itemType: "CARTON", itemQuantity: 4, itemWeight: 12.5 },
            { itemType: "PALLET", itemQuantity: 1, itemWeight: 310 },
          ],
        },
      ],
    },
  },
  uploadShipments: { file: { name: "orders.csv", text: `${shipments.join("\n")}\n` }, sourceDetails: "Tuesday's orders" },
  correctShipmentRows: { body: { rows: [{ row: 4, values: { destinationPostCode: "3000", destinationSuburb: "Melbourne" } }] } },
  pushActivities: {
    body: {
      sourceDetails: "Night shift",
      activities: [
        {
          ...{ warehouseCode: "SYD1", chargeCode: "PICK", quantity: 40, activityTimestamp: "2026-07-01T23:10:00+10:00" },
          ...{ customerId: "CUST-001", reference: "SO-1001" },
        },
        { warehouseCode: "SYD1", chargeCode: "STORAGE", quantity: 2.5, activityTimestamp: "2026-07-01", customerId: "CUST-002" },
      ],
    },
  },
  uploadActivities: { file: { name: "activities.csv", text: `${activities.join("\n")}\n` } },
  correctFulfilmentRows: { body: { rows: [{ row: 3, values: { quantity: "7" } }] } },
};
