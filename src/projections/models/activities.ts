// The activity ledger. Rows are written as they are recorded. Queries join imports, so they show a row only when its import is `completed`.
import type { RowAccepted } from "../../events/importEvents.js";
import { copyRows, field } from "../copyRows.js";
import type { Projection } from "../projection.js";

const target = {
  table: "activities",
  columns: 'import_position, "row", warehouse_code, charge_code, quantity, activity_timestamp, customer_id, reference, status',
};

export const activities: Projection = {
  name: "activities",
  tables: ["activities"],

  async apply(client, batch, options) {
    let lines = "";
    for (const { facts, accepted } of batch.imports) {
      if (facts?.kind !== "activities") continue;
      for (const row of accepted) lines += line(facts.position, row);
    }
    await copyRows(client, target, lines, options);
    const abandoned = batch.endings.filter(({ facts, ended }) => facts?.kind === "activities" && ended?.type !== "ImportCompleted");
    if (abandoned.length === 0) return;
    await client.query("delete from activities where import_position = any($1::bigint[])", [abandoned.map(({ facts }) => facts?.position)]);
  },
};

function line(position: string, { row, values }: RowAccepted): string {
  const { warehouseCode, chargeCode, quantity, activityTimestamp, customerId, reference, status } = values as Record<
    ActivityField,
    unknown
  >;
  return `${position}\t${row}\t${field(warehouseCode)}\t${field(chargeCode)}\t${field(quantity)}\t${field(activityTimestamp)}\t${field(customerId)}\t${field(reference)}\t${field(status)}\n`;
}

type ActivityField = "warehouseCode" | "chargeCode" | "quantity" | "activityTimestamp" | "customerId" | "reference" | "status";
