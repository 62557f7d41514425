// Changes that make the ledger differ from the streams, and the sentences with which the audit's own code reports them.
import { expect } from "vitest";

type Ids = Readonly<Record<string, string>>;

/** The position of the import that was recorded under this name, as SQL. */
export const position = (ids: Ids, name: string) => `(select position from imports where import_id = '${ids[name]}')`;

/** The name of each change, its SQL, and the sentences that are found then. */
export const changes: [string, (ids: Ids) => string, unknown[]][] = [
  [
    "a changed activity",
    (ids) =>
      `update activities set charge_code = 'PACK', quantity = 9 where import_position = ${position(ids, "activities")} and "row" = 2`,
    ['activities: row 2 of activities: chargeCode is "PACK", the stream says "PICK" (and quantity)'],
  ],
  [
    "a deleted activity",
    (ids) => `delete from activities where import_position = ${position(ids, "activities")} and "row" = 4`,
    ["activities: row 4 is missing from activities"],
  ],
  [
    "an activity from nowhere",
    (ids) =>
      `insert into activities select import_position, 99, 'W', 'C', 1, 't' from activities where import_position = ${position(ids, "activities")} limit 1`,
    ["activities: row 99 of activities has no counterpart in the stream"],
  ],
  [
    "an activity that a cancelled import left",
    (ids) => `insert into activities values (${position(ids, "cancelled")}, 2, 'W1', 'PICK', 3, '2026-03-01T09:30:00Z')`,
    ["cancelled: row 2 of activities has no counterpart in the stream"],
  ],
  [
    "a total that is too large",
    (ids) => `update activity_totals set quantity = quantity + 0.01 where import_position = ${position(ids, "activities")}`,
    ["activities: activity_totals has 1 totals of 2 rows, 3.11 in all; the stream has 1 totals of 2 rows, 3.1 in all"],
  ],
  [
    "a total that leads to another row",
    (ids) => `update activity_totals set row_numbers = '{2,5}' where import_position = ${position(ids, "activities")}`,
    ["activities: activity_totals has 1 totals of 2 rows, 3.1 in all, which are not those of the stream"],
  ],
  [
    "a total of another hour",
    (ids) => `update activity_totals set half_hour = half_hour + interval '1 hour' where import_position = ${position(ids, "activities")}`,
    ["activities: activity_totals has 1 totals of 2 rows, 3.1 in all, which are not those of the stream"],
  ],
  [
    "a lost total",
    (ids) => `delete from activity_totals where import_position = ${position(ids, "others")}`,
    ["others: activity_totals has 0 totals of 0 rows, 0 in all; the stream has 1 totals of 1 rows, 3 in all"],
  ],
  [
    "a total of a cancelled import",
    (ids) =>
      `insert into activity_totals select organisation_id, customer_id, warehouse_code, charge_code, half_hour, ${position(ids, "cancelled")}, 3, 1, '{2}'
         from activity_totals where import_position = ${position(ids, "activities")}`,
    ["cancelled: activity_totals has 1 totals of 1 rows, 3 in all; the stream has 0 totals of 0 rows, 0 in all"],
  ],
  [
    "a total that another organisation has",
    (ids) => `update activity_totals set organisation_id = 'other' where import_position = ${position(ids, "activities")}`,
    ["activities: activity_totals has them for another organisation"],
  ],
  [
    "a changed rejection",
    (ids) => `update rejections set error = 'fine' where import_position = ${position(ids, "activities")}`,
    ['activities: row 3 of rejections: error is "fine", the stream says "x"'],
  ],
  [
    "another line at fault",
    (ids) => `update rejections set lead = 4 where import_position = ${position(ids, "together")} and "row" = 2`,
    ["together: row 2 of rejections: lead is 4, the stream says 3"],
  ],
  [
    "another fault",
    (ids) => `update rejections set faults = '[["invalid","itemType"]]' where import_position = ${position(ids, "together")} and "row" = 3`,
    [expect.stringMatching(/^together: row 3 of rejections: faults is .*invalid.*, the stream says .*required/)],
  ],
  [
    "a deleted rejection",
    (ids) => `delete from rejections where import_position = ${position(ids, "running")}`,
    ["running: row 3 is missing from rejections"],
  ],
  [
    "a changed count",
    (ids) => `update imports set failed = 7 where import_id = '${ids["shipments"]}'`,
    ["shipments: imports.failed is 7, the stream says 1"],
  ],
  [
    "a changed status",
    (ids) => `update imports set status = 'completed' where import_id = '${ids["failed"]}'`,
    ["failed: imports.status is completed, the stream says failed"],
  ],
  ["a deleted import", (ids) => `delete from imports where import_id = '${ids["queued"]}'`, ["queued: it is missing from imports"]],
  [
    "a shipment's changed lines",
    (_ids) => `update shipments set items = '[]' where shipment_id = 'S1'`,
    ["shipments: shipment S1: its goods lines differ"],
  ],
  [
    "a shipment's changed field and origin",
    (ids) => `update shipments set fields = fields || '{"originSuburb":"x"}', import_id = '${ids["shipments"]}' where shipment_id = 'S2'`,
    [`again: shipment S2: its fields differ, it is ascribed to import IMPORT`],
  ],
  ["a deleted shipment", (_ids) => `delete from shipments where shipment_id = 'S2'`, ["again: shipment S2: it is missing from the ledger"]],
  [
    "an invented shipment",
    (_ids) =>
      `insert into shipments select organisation_id, 'S99', fields, items, source_details, import_id, updated_at, import_position from shipments where shipment_id = 'S1'`,
    ["-: shipment S99: the ledger has it, but it has no version that was completed and not reversed"],
  ],
  [
    "a reversed shipment that is still shown",
    (ids) =>
      `insert into shipments select organisation_id, 'S5', fields, items, source_details, import_id, updated_at, import_position from shipments where import_id = '${ids["again"]}'`,
    ["-: shipment S5: the ledger has it, but it has no version that was completed and not reversed"],
  ],
  [
    "a changed goods line of a running import",
    (_ids) => `update shipment_lines set shipment = 5`,
    ["running: row 2 of shipment_lines: shipment is 5, the stream says 1"],
  ],
];
