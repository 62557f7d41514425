// The activity ledger. Rows are written as they are recorded. Queries join imports, so they show a row only when its import is `completed`.
import { fieldsOf } from "../../domain/imports/fields.js";
import type { RowAccepted } from "../../events/importEvents.js";
import { copyRows, field } from "../copyRows.js";
import type { Projection } from "../projection.js";
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
    for (const { facts, accepted } of batch.imports) {
      if (facts?.kind !== "activities") continue;
      for (const row of accepted) lines += line(facts.position, row);
    }
    await copyRows(client, target, lines, options);
    const ended = batch.endings.flatMap(({ facts, ended: ending }) =>
      facts?.kind === "activities" ? [{ facts, type: ending?.type }] : [],
    );
    const completed = ended.filter(({ type }) => type === "ImportCompleted").map(({ facts }) => facts);
    await writeTotals(client, completed);
    const abandoned = ended.filter(({ type }) => type !== "ImportCompleted").map(({ facts }) => facts.position);
    if (abandoned.length > 0) await client.query("delete from activities where import_position = any($1::bigint[])", [abandoned]);
  },
};

function line(position: string, { row, values }: RowAccepted): string {
  let text = `${position}\t${row}`;
  for (const { name } of fields) text += `\t${field(values[name])}`;
  return `${text}\n`;
}
