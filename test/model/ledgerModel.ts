// A simple model in memory of what the ledgers must hold after any sequence of pushes.
export interface Line {
  itemType: string;
  itemQuantity: number;
}

export interface ModelShipment {
  shipmentId: string;
  originPostCode: string;
  destinationPostCode: string;
  customerId?: string;
  customFields?: Record<string, string>;
  items: Line[];
}

export interface ModelActivity {
  warehouseCode: string;
  chargeCode: string;
  quantity: number;
  activityTimestamp: string;
  customerId?: string;
  reference: string;
}

export interface Push {
  importId: string;
  kind: "shipments" | "activities";
  shipments: ModelShipment[];
  activities: ModelActivity[];
  /** The file cannot be read, so that nothing may be written. */
  unusable: boolean;
}

export interface Expected {
  shipments: Map<string, { items: Line[]; importId: string }>;
  activities: Map<string, ModelActivity[]>;
  counts: Map<string, { received: number; processed: number; failed: number }>;
}

const customers = new Set(["CUST-001", "CUST-002"]);

export function faultOf(shipment: ModelShipment): string {
  const faults: string[] = [];
  if (shipment.shipmentId === "") faults.push("No Shipment ID found");
  if (shipment.customerId !== undefined && !customers.has(shipment.customerId)) faults.push("Customer not found");
  if (shipment.originPostCode !== "2000") faults.push("Origin Zone(s) not found");
  if (shipment.destinationPostCode !== "3000") faults.push("Destination Zone(s) not found");
  if (shipment.customerId === "CUST-002" && !shipment.customFields?.["costCentre"]) {
    faults.push("Missing mandatory custom field(s): costCentre");
  }
  return faults.join("; ");
}

/** The ledgers after these pushes, which are in the order in which they were accepted. */
export function expectedAfter(pushes: readonly Push[], statusOf: (importId: string) => string): Expected {
  const expected: Expected = { shipments: new Map(), activities: new Map(), counts: new Map() };
  for (const push of pushes) {
    if (statusOf(push.importId) !== "completed") continue;
    if (push.kind === "activities") recordActivities(expected, push);
    else recordShipments(expected, push);
  }
  return expected;
}

function recordActivities(expected: Expected, { importId, activities }: Push): void {
  const good = activities.filter(({ customerId }) => customerId === undefined || customers.has(customerId));
  expected.activities.set(importId, good);
  expected.counts.set(importId, { received: activities.length, processed: good.length, failed: activities.length - good.length });
}

function recordShipments(expected: Expected, { importId, shipments }: Push): void {
  const counts = { received: 0, processed: 0, failed: 0 };
  for (const shipment of shipments) {
    const bad = shipment.items.filter(({ itemQuantity }) => itemQuantity <= 0).length > 0 || faultOf(shipment) !== "";
    counts.received += shipment.items.length;
    if (bad) counts.failed += shipment.items.length;
    else {
      counts.processed += 1;
      expected.shipments.set(shipment.shipmentId, { items: shipment.items, importId });
    }
  }
  expected.counts.set(importId, counts);
}
