// The activity ledger. Rows are written as they are recorded. Queries join imports, so they show a row only when its import is `completed`.
import { fieldsOf } from "../../domain/imports/fields.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { copyRows, deleteRows, field } from "../copyRows.js";
import type { Projection } from "../projection.js";
import { endingsOf } from "../sortedBatch.js";
import { writeTotals } from "./activityTotals.js";

const fields = fieldsOf("activity");

const target = {
  table: "activities",
  columns: ["import_position", '"row"', ...fields.map(({ ledgerColumn }) => ledgerColumn)].join(", "),
};

export const activities: Projection = {
  name: "activities",
  tables: ["activities", "activity_totals", "activity_groups"],

  async apply(client, batch, options) {
    let lines = "";
    for (const slice of batch.imports) {
      const { facts, accepted } = slice;
      if (facts?.kind !== "activities") continue;
      for (const row of accepted) lines += line(facts.position, row);
      if (options.keepExisting)
        facts.totals?.giveUp(); // one of the rows may be recorded twice
      else facts.totals?.add(slice);
    }
    await copyRows(client, target, lines, options);
    const { completed, abandoned } = endingsOf(batch, "activities");
    await writeTotals(client, completed, options);
    await deleteRows(client, "activities", abandoned);
  },
};

function line(position: string, { row, values }: RowAccepted): string {
  let text = `${position}\t${row}`;
  for (const { name } of fields) text += `\t${field(values[name])}`;
  return `${text}\n`;
}
