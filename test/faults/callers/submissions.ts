import type { ModelActivity, ModelShipment } from "../../model/ledgerModel.js";
import type { Randomness } from "../randomness.js";

export interface Submission {
  readonly kind: "shipments" | "activities";
  readonly lane: "data" | "file";
  readonly shipments: ModelShipment[];
  readonly activities: ModelActivity[];
}

/** A push of either kind, as JSON or as a file; a quarter of them are large enough to be interrupted by a kill. */
export function randomSubmission(random: Randomness): Submission {
  const kind = random.pick(["shipments", "activities"] as const);
  const lane = random.pick(["data", "file"] as const);
  const size = random.chance(0.25) ? 1_200 + random.number(2_500) : 1 + random.number(8);
  const list = (most: number) => Array.from({ length: Math.min(size, most) }, (_, index) => index);
  return {
    kind,
    lane,
    shipments: kind === "shipments" ? list(900).map((index) => randomShipment(random, lane === "file" ? index : random.number(12))) : [],
    activities: kind === "activities" ? list(4_000).map((index) => randomActivity(random, index)) : [],
  };
}

/** Few ids, so that imports overwrite each other's shipments. Within a file each id differs, since lines with one id would be one shipment. */
function randomShipment(random: Randomness, id: number): ModelShipment {
  const items = Array.from({ length: 1 + random.number(3) }, () => ({
    itemType: random.pick(["Carton", "Pallet"]),
    itemQuantity: random.chance(0.05) ? 0 : 1 + random.number(9),
  }));
  return {
    shipmentId: `S-${id}`,
    originPostCode: random.chance(0.1) ? "9999" : "2000",
    destinationPostCode: "3000",
    ...(random.chance(0.5) ? { customerId: random.pick(["CUST-001", "CUST-001", "CUST-999"]) } : {}),
    items,
  };
}

function randomActivity(random: Randomness, index: number): ModelActivity {
  return {
    warehouseCode: random.pick(["SYD1", "MEL1"]),
    chargeCode: random.pick(["PICK", "PACK"]),
    quantity: random.pick([1, 2.5, -1]),
    activityTimestamp: "2026-03-01T09:30:00Z",
    ...(random.chance(0.3) ? { customerId: random.pick(["CUST-001", "CUST-999"]) } : {}),
    reference: `ref-${index}`,
  };
}

/** The submission as a CSV file. */
export function fileOf({ kind, shipments, activities }: Submission): File {
  if (kind === "activities") {
    const header = "warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference";
    const rows = activities.map((activity) =>
      [
        activity.warehouseCode,
        activity.chargeCode,
        activity.quantity,
        activity.activityTimestamp,
        activity.customerId ?? "",
        activity.reference,
      ].join(","),
    );
    return new File([[header, ...rows].join("\n")], "activities.csv");
  }
  const header = "shipmentId,customerId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,itemQuantity";
  const rows = shipments.flatMap((shipment) =>
    shipment.items.map((line) =>
      [
        shipment.shipmentId,
        shipment.customerId ?? "",
        shipment.originPostCode,
        shipment.originPostCode === "2000" ? "Sydney" : "",
        shipment.destinationPostCode,
        "Melbourne",
        line.itemType,
        line.itemQuantity,
      ].join(","),
    ),
  );
  return new File([[header, ...rows].join("\n")], "shipments.csv");
}

export const rowsOf = ({ kind, shipments, activities }: Submission): number =>
  kind === "activities" ? activities.length : shipments.reduce((sum, { items }) => sum + items.length, 0);
