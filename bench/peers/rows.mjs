// What all contenders share: the same parser, the same checks, the same table, the same lines for COPY.
import { createReadStream } from "node:fs";
import { finished } from "node:stream/promises";
import ExcelJS from "exceljs";
import Papa from "papaparse";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { z } from "zod";

const number = z
  .string()
  .regex(/^-?\d{1,15}(\.\d{1,9})?$/)
  .transform(Number);

export const schemas = {
  activities: z.object({
    warehouseCode: z.string().min(1),
    chargeCode: z.string().min(1),
    quantity: number.refine((value) => value !== 0),
    activityTimestamp: z.iso.datetime({ offset: true }),
    customerId: z.string().optional(),
    reference: z.string().optional(),
    status: z.string().optional(),
  }),
  shipments: z.object({
    shipmentId: z.string().min(1),
    customerId: z.string().optional(),
    originPostCode: z.string().min(1),
    originSuburb: z.string().min(1),
    destinationPostCode: z.string().min(1),
    destinationSuburb: z.string().min(1),
    itemType: z.string().min(1),
    itemQuantity: number,
    itemWeight: number,
  }),
};

const tables = {
  activities: {
    create: `create table activities (import_position bigint not null, "row" integer not null, warehouse_code text not null,
      charge_code text not null, quantity numeric not null, activity_timestamp text not null, customer_id text, reference text, status text,
      primary key (import_position, "row"))`,
    copy: 'copy activities (import_position, "row", warehouse_code, charge_code, quantity, activity_timestamp, customer_id, reference, status) from stdin',
    line: (run, row, v) =>
      `${run}\t${row}\t${text(v.warehouseCode)}\t${text(v.chargeCode)}\t${v.quantity}\t${text(v.activityTimestamp)}\t${text(v.customerId)}\t${text(v.reference)}\t${text(v.status)}\n`,
  },
  shipments: {
    create: `create table shipment_lines (import_position bigint not null, "row" integer not null, "values" jsonb not null,
      primary key (import_position, "row"))`,
    copy: 'copy shipment_lines (import_position, "row", "values") from stdin',
    line: (run, row, v) => `${run}\t${row}\t${text(JSON.stringify(v))}\n`,
  },
};

const escapes = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

function text(value) {
  if (value === undefined || value === "") return "\\N";
  return /[\\\t\n\r]/.test(value) ? value.replace(/[\\\t\n\r]/g, (found) => escapes[found]) : value;
}

/** Calls `deal` with the good rows of each piece of the file, `{ row, values }`, and waits for it. */
export async function eachPiece({ path, kind, format }, deal) {
  const schema = schemas[kind];
  let columns;
  let row = 1;
  const judge = (cellsOfRows) => {
    const good = [];
    for (const cells of cellsOfRows) {
      if (!columns) {
        columns = cells;
        continue;
      }
      row += 1;
      const record = {};
      for (let index = 0; index < columns.length; index += 1) record[columns[index]] = cells[index];
      const parsed = schema.safeParse(record);
      if (parsed.success) good.push({ row, values: parsed.data });
    }
    return deal(good);
  };
  return format === "csv" ? csvPieces(path, judge) : xlsxPieces(path, judge);
}

function csvPieces(path, judge) {
  return new Promise((resolve, reject) => {
    const file = createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 18 });
    Papa.parse(file, {
      delimiter: ",",
      newline: "\n",
      skipEmptyLines: true,
      chunk({ data }, parser) {
        parser.pause();
        judge(data).then(() => parser.resume(), reject);
      },
      complete: () => resolve(),
      error: reject,
    });
  });
}

async function xlsxPieces(path, judge) {
  const reader = new ExcelJS.stream.xlsx.WorkbookReader(path, { sharedStrings: "cache", worksheets: "emit", styles: "ignore" });
  for await (const sheet of reader) {
    let piece = [];
    for await (const row of sheet) {
      piece.push(row.values.slice(1));
      if (piece.length < 2_000) continue;
      await judge(piece);
      piece = [];
    }
    await judge(piece);
  }
}

export async function freshTable(databaseUrl, kind) {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  await client.query(tables[kind].create);
  return client;
}

export const copyStatement = (kind) => tables[kind].copy;
/** `run` stands in for the import's id, so that the rows of the warm-up and of the measured run differ. */
export const copyLine = (kind, run) => tables[kind].line.bind(undefined, run);

export async function copyAll(client, kind, lines) {
  const stream = client.query(copyFrom(copyStatement(kind)));
  stream.end(lines);
  await finished(stream);
}

export function openCopy(client, kind) {
  return client.query(copyFrom(copyStatement(kind)));
}

/** A peer is a process. It sends "ready", begins a run with each message it gets, and sends how many rows it has written to the table. */
export function asPeer(prepare) {
  const [argument] = process.argv.slice(2);
  prepare(JSON.parse(argument)).then((work) => {
    process.on("message", async (task) => {
      const startedAt = performance.now();
      const result = await work(task);
      process.send({ ...result, ms: performance.now() - startedAt });
    });
    process.send("ready");
  });
}
