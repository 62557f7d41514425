// src/audit compares the projections' tables with the streams. It shares the storage format with the rest of the service and no code of the
// projections, so that a mistake in a projection is not repeated here.
// This file makes a row a list of values, from its event or from its table: two rows are the same when their lists are.
import { hash } from "node:crypto";
import type { RowAccepted, RowRejected } from "../events/importEvents.js";

/** JSON with sorted keys, so that equal values give equal text. Strings are as Postgres can store them. */
export function canonical(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(storableText(value));
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const sorted = entries.map(([key, inner]) => `${JSON.stringify(storableText(key))}:${canonical(inner)}`).sort();
  return `{${sorted.join(",")}}`;
}

/** Pushes with NUL or a lone surrogate are rejected. If a stream has one, the tables have U+FFFD in its place. */
export const storableText = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text).toWellFormed();

export const shortDigest = (text: string): string => hash("sha256", text, "base64url").slice(0, 16);

export type RowShape = readonly (string | number | null)[];

export type RowTable = "activities" | "shipment_lines" | "rejections";

export const rowFields: Readonly<Record<RowTable, readonly string[]>> = {
  activities: ["row", "warehouseCode", "chargeCode", "quantity", "activityTimestamp", "customerId", "reference", "status"],
  shipment_lines: ["row", "shipment", "values"],
  rejections: ["row", "handle", "error", "lead", "faults", "element", "data"],
};

export const rowColumns: Readonly<Record<RowTable, string>> = {
  activities: `"row", warehouse_code, charge_code, quantity, activity_timestamp, customer_id, reference, status`,
  shipment_lines: `"row", shipment, "values"`,
  rejections: `"row", handle, error, lead, faults, element, data`,
};

const text = (value: unknown): string | null => (value === undefined || value === null ? null : storableText(String(value)));

export function activityShape({ row, values }: RowAccepted): RowShape {
  const { warehouseCode, chargeCode, quantity, activityTimestamp, customerId, reference, status } = values as Record<string, unknown>;
  const rest = [text(activityTimestamp), text(customerId), text(reference), text(status)];
  return [row, text(warehouseCode), text(chargeCode), Number(quantity), ...rest];
}

export const lineShape = ({ row, shipment, values }: RowAccepted): RowShape => [row, shipment ?? row, canonical(values)];

export function rejectionShape(event: RowRejected, kind: "shipments" | "activities"): RowShape {
  const { row, shipmentId, reference, error, lead = null, faults = null, element = null, data } = event;
  return [row, text(kind === "shipments" ? shipmentId : reference), storableText(error), lead, canonical(faults), element, canonical(data)];
}

/** `columns` are the values of `rowColumns`, in that order. */
export function tableShape(table: RowTable, columns: readonly unknown[]): RowShape {
  if (table === "activities")
    return [Number(columns[0]), text(columns[1]), text(columns[2]), Number(columns[3]), ...columns.slice(4).map(text)];
  if (table === "shipment_lines") return [Number(columns[0]), Number(columns[1]), canonical(columns[2])];
  const [row, handle, error, lead, faults, element, data] = columns;
  const number = (value: unknown) => (value === null ? null : Number(value));
  return [Number(row), text(handle), text(error), number(lead), canonical(faults), number(element), canonical(data)];
}
