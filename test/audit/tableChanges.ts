// Changes that make the ledger differ from the streams, and the sentences with which the audit's own code reports them.
import { expect } from "vitest";

type Ids = Readonly<Record<string, string>>;

/** The position of the import that was recorded under this name, as SQL. */
export const position = (ids: Ids, name: string) => `(select position from imports where import_id = '${ids[name]}')`;

/** A finding about a row of a table, whose key begins with the position of its import. */
const of = (owner: string, table: string, rest: string) =>
  expect.stringMatching(new RegExp(`^${owner}: ${table}, import_position \\d+${rest.replaceAll(/[{}[\].]/g, "\\$&")}$`));
/** The total differs by itself, and together with its changes. */
const totals = (owner: string, ...rests: string[]) =>
  ["activity_changes", "activity_totals"].flatMap((table) =>
    rests.map((rest) => expect.stringMatching(new RegExp(`^${owner}: ${table}, import_position \\d+, organisation_id \\w+, .*: ${rest}$`))),
  );

/** The name of each change, its SQL, and the sentences that are found then. */
export const changes: [string, (ids: Ids) => string, unknown[]][] = [
  [
    "a changed activity",
    (ids) =>
      `update activities set charge_code = 'PACK', quantity = 9 where import_position = ${position(ids, "activities")} and "row" = 2`,
    [of("activities", "activities", `, row 2: charge_code is "PACK", the streams say "PICK"; quantity is 9, the streams say 0.1`)],
  ],
  [
    "a deleted activity",
    (ids) => `delete from activities where import_position = ${position(ids, "activities")} and "row" = 4`,
    [of("activities", "activities", ", row 4: the row is missing")],
  ],
  [
    "an activity from nowhere",
    (ids) =>
      `insert into activities select import_position, 99, 'W', 'C', 1, 't' from activities where import_position = ${position(ids, "activities")} limit 1`,
    [of("activities", "activities", ", row 99: the streams have no such row")],
  ],
  [
    "an activity that a cancelled import left",
    (ids) => `insert into activities values (${position(ids, "cancelled")}, 2, 'W1', 'PICK', 3, '2026-03-01T09:30:00Z')`,
    [of("cancelled", "activities", ", row 2: the streams have no such row")],
  ],
  [
    "a total that is too large",
    (ids) => `update activity_totals set quantity = quantity + 0.01 where import_position = ${position(ids, "activities")}`,
    totals("activities", "quantity is 3\\.11, the streams say 3\\.1"),
  ],
  [
    "a total that leads to another row",
    (ids) => `update activity_totals set row_numbers = '{2,5}' where import_position = ${position(ids, "activities")}`,
    totals("activities", "row_numbers is \\[2,5\\], the streams say \\[2,4\\]"),
  ],
  [
    "a total of another hour",
    (ids) => `update activity_totals set half_hour = half_hour + interval '1 hour' where import_position = ${position(ids, "activities")}`,
    totals("activities", "the row is missing", "the streams have no such row"),
  ],
  [
    "a lost total",
    (ids) => `delete from activity_totals where import_position = ${position(ids, "others")}`,
    totals("others", "the row is missing"),
  ],
  [
    "a total of a cancelled import",
    (ids) =>
      `insert into activity_totals select organisation_id, customer_id, warehouse_code, charge_code, half_hour, ${position(ids, "cancelled")}, 3, 1, '{2}'
         from activity_totals where import_position = ${position(ids, "activities")}`,
    totals("cancelled", "the streams have no such row"),
  ],
  [
    "a total that another organisation has",
    (ids) => `update activity_totals set organisation_id = 'other' where import_position = ${position(ids, "activities")}`,
    totals("activities", "the row is missing", "the streams have no such row"),
  ],
  [
    "a changed rejection",
    (ids) => `update rejections set error = 'fine' where import_position = ${position(ids, "activities")}`,
    [of("activities", "rejections", `, row 3: error is "fine", the streams say "x"`)],
  ],
  [
    "another line at fault",
    (ids) => `update rejections set lead = 4 where import_position = ${position(ids, "together")} and "row" = 2`,
    [of("together", "rejections", ", row 2: lead is 4, the streams say 3")],
  ],
  [
    "another fault",
    (ids) => `update rejections set faults = '[["invalid","itemType"]]' where import_position = ${position(ids, "together")} and "row" = 3`,
    [expect.stringMatching(/^together: rejections, .* row 3: faults is .*invalid.*, the streams say .*required/)],
  ],
  [
    "a deleted rejection",
    (ids) => `delete from rejections where import_position = ${position(ids, "running")}`,
    [of("running", "rejections", ", row 3: the row is missing")],
  ],
  [
    "a changed count",
    (ids) => `update imports set failed = 7 where import_id = '${ids["shipments"]}'`,
    [expect.stringMatching(/^shipments: imports, import_id \S+: failed is 7, the streams say 1$/)],
  ],
  [
    "a changed status",
    (ids) => `update imports set status = 'completed' where import_id = '${ids["failed"]}'`,
    [expect.stringMatching(/^failed: imports, import_id \S+: status is "completed", the streams say "failed"$/)],
  ],
  [
    "a deleted import",
    (ids) => `delete from imports where import_id = '${ids["queued"]}'`,
    [expect.stringMatching(/^queued: imports, import_id \S+: the row is missing$/)],
  ],
  [
    "a shipment's changed lines",
    (_ids) => `update shipments set items = '[]' where shipment_id = 'S1'`,
    [expect.stringMatching(/^shipments: shipments, organisation_id acme, shipment_id S1: items is \[\], the streams say /)],
  ],
  [
    "a shipment's changed field and origin",
    (ids) => `update shipments set fields = fields || '{"originSuburb":"x"}', import_id = '${ids["shipments"]}' where shipment_id = 'S2'`,
    [
      expect.stringMatching(
        /^again: shipments, organisation_id acme, shipment_id S2: fields is .*"x".*, the streams say .*"later".*; import_id is \S+, the streams say \S+$/,
      ),
    ],
  ],
  [
    "a deleted shipment",
    (_ids) => `delete from shipments where shipment_id = 'S2'`,
    ["again: shipments, organisation_id acme, shipment_id S2: the row is missing"],
  ],
  [
    "an invented shipment",
    (_ids) =>
      `insert into shipments select organisation_id, 'S99', fields, items, source_details, import_id, updated_at, import_position from shipments where shipment_id = 'S1'`,
    [expect.stringMatching(/^\w+: shipments, organisation_id acme, shipment_id S99: the streams have no such row$/)],
  ],
  [
    "a reversed shipment that is still shown",
    (ids) =>
      `insert into shipments select organisation_id, 'S5', fields, items, source_details, import_id, updated_at, import_position from shipments where import_id = '${ids["again"]}'`,
    ["again: shipments, organisation_id acme, shipment_id S5: the streams have no such row"],
  ],
  [
    "a changed goods line of a running import",
    (_ids) => `update shipment_lines set shipment = 5`,
    [of("running", "shipment_lines", ", row 2: shipment is 5, the streams say 1")],
  ],
];
