// The files that are imported. Every hundredth row is faulty: an import with failures is the normal case.
import { createWriteStream, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import ExcelJS from "exceljs";

const FULL_BYTES = 52_428_800;

const activityColumns = ["warehouseCode", "chargeCode", "quantity", "activityTimestamp", "customerId", "reference", "status"];
const charges = ["PICK", "PACK", "PALLET-IN", "PALLET-OUT", "LABEL"];

/** The last 28 days, the last one first: older activities would all be unusual, and an import that has none is the normal case. */
const days = Array.from({ length: 28 }, (_, index) => new Date(Date.now() - (index + 1) * 86_400_000).toISOString().slice(0, 10));

function activity(n, lastDays = days.length) {
  const quantity = n % 100 === 99 ? "0" : String((n % 40) + 1);
  const minute = String(n % 60).padStart(2, "0");
  const hour = String(Math.floor(n / 60) % 24).padStart(2, "0");
  return [`SYD${n % 4}`, charges[n % 5], quantity, `${days[n % lastDays]}T${hour}:${minute}:00Z`, "CUST-001", `REF-${n}`, "done"];
}

const shipmentColumns = [
  "shipmentId",
  "customerId",
  "originPostCode",
  "originSuburb",
  "destinationPostCode",
  "destinationSuburb",
  "itemType",
  "itemQuantity",
  "itemWeight",
];
const ends = [
  ["3000", "Melbourne"],
  ["4000", "Brisbane City"],
  ["2600", "Canberra"],
  ["5000", "Adelaide"],
];

/** Three goods lines to a shipment. */
function shipmentLine(n) {
  const shipment = Math.floor(n / 3);
  const [postcode, suburb] = ends[shipment % ends.length];
  const type = shipment % 100 === 99 ? "" : "Carton";
  return [`SO-${shipment}`, "CUST-001", "2000", "Sydney", postcode, suburb, type, String((n % 9) + 1), "12.5"];
}

export const kinds = {
  activities: { columns: activityColumns, row: activity, path: "/v1/org/fulfilment" },
  shipments: { columns: shipmentColumns, row: shipmentLine, path: "/v1/org/shipments" },
};

/**
 * Writes a file with this many rows, or, without a number, as many as fit into the largest file that the API accepts. `first`: the number of its
 * first row; files of different numbers have different shipments. `lastDays`: on how many days its activities are, if not on all 28.
 */
export async function csvFile(folder, kind, rows, first = 0, lastDays = undefined) {
  const { columns, row } = kinds[kind];
  const path = join(folder, `${kind}-${rows ?? "50MB"}-${first}.csv`);
  const stream = createWriteStream(path);
  let bytes = stream.write(`${columns.join(",")}\n`) ? columns.join(",").length + 1 : 0;
  let written = 0;
  for (let piece = ""; ; piece = "") {
    let full = false;
    for (let n = 0; n < 5_000 && !full; n += 1) {
      const line = `${row(first + written, lastDays).join(",")}\n`;
      full = rows === undefined ? bytes + line.length > FULL_BYTES : written === rows;
      if (full) break;
      piece += line;
      bytes += line.length;
      written += 1;
    }
    if (!stream.write(piece)) await new Promise((resolve) => stream.once("drain", resolve));
    if (full) break;
  }
  await new Promise((resolve) => stream.end(resolve));
  return { path, rows: written, bytes: statSync(path).size, kind, format: "csv" };
}

export async function xlsxFile(folder, kind, rows, first = 0) {
  const { columns, row } = kinds[kind];
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${kind}-${rows}-${first}.xlsx`);
  if (!existsSync(path)) {
    const workbook = new ExcelJS.stream.xlsx.WorkbookWriter({ filename: `${path}.part`, useSharedStrings: true });
    const sheet = workbook.addWorksheet("Rows");
    sheet.addRow(columns).commit();
    for (let n = first; n < first + rows; n += 1) sheet.addRow(row(n)).commit();
    await sheet.commit();
    await workbook.commit();
    renameSync(`${path}.part`, path);
  }
  return { path, rows, bytes: statSync(path).size, kind, format: "xlsx" };
}

/** The same rows as bodies of JSON pushes. The API refuses a body with a faulty value, so those are right here. */
export const jsonBodies = {
  activities: (rows) =>
    JSON.stringify({
      activities: Array.from({ length: rows }, (_, n) => {
        const { quantity, ...rest } = Object.fromEntries(activity(n).map((value, index) => [activityColumns[index], value]));
        return { ...rest, quantity: Number(quantity) || 1 };
      }),
    }),
  shipments: (rows) => {
    const shipments = [];
    for (let n = 0; n < rows; n += 1) {
      const line = Object.fromEntries(shipmentLine(n).map((value, index) => [shipmentColumns[index], value]));
      const { itemType, itemQuantity, itemWeight, ...shipment } = line;
      if (n % 3 === 0) shipments.push({ ...shipment, items: [] });
      shipments.at(-1).items.push({ itemType: itemType || "Carton", itemQuantity: Number(itemQuantity), itemWeight: Number(itemWeight) });
    }
    return JSON.stringify({ shipments });
  },
};
