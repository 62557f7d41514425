// The bodies of JSON pushes: shipments, activities and corrections. This file checks only their shape. The importer judges the rows.
import { z } from "zod";
import { limits } from "../imports/limits.js";
import { firstMessages, pathText, requestObject } from "../validation.js";
import { shipmentsFileBytes } from "./toFile.js";
import { pushedFields, reasonSchema, sourceDetailsSchema, textSchema } from "./values.js";

const goodsLine = requestObject("PushedGoodsLine", pushedFields("goodsLine", "shape"));

const shipment = requestObject("PushedShipment", {
  ...pushedFields("shipment", "shape"),
  customFields: z
    .record(z.string(), textSchema())
    .optional()
    .describe(
      "By key. Only fields that the organisation has configured; those that a carrier of the customer marks mandatory need a value",
    ),
  items: z.array(goodsLine).min(1).max(limits.linesPerShipment).describe("The goods lines; they replace those the shipment had before"),
});

export const shipmentPush = requestObject("ShipmentPush", {
  shipments: z
    .array(shipment)
    .min(1)
    .max(limits.shipmentsPerPush)
    .describe(
      "With at most 10,000 goods lines in all. As a file, in which every line repeats its shipment's fields, they may come to 52,428,800 bytes",
    ),
  sourceDetails: sourceDetailsSchema.optional().describe("Your reference for this push; `API push` by default"),
});

export type ShipmentPush = z.infer<typeof shipmentPush>;

const countLines = (push: ShipmentPush): number => push.shipments.reduce((sum, each) => sum + each.items.length, 0);

/** False for a push that is rejected whatever the catalogue says. Callers ask before they make its file, which may be huge. */
export function mayBeAccepted(push: ShipmentPush): boolean {
  const keys = new Set(push.shipments.flatMap(({ customFields = {} }) => Object.keys(customFields)));
  return countLines(push) <= limits.linesPerPush && keys.size <= limits.customFields && shipmentsFileBytes(push) <= limits.pushFileBytes;
}

/** Faults that the schema cannot find: too large totals, and unknown custom fields. Each begins with its path. */
export const shipmentPushFaults = (push: ShipmentPush, customFieldKeys: ReadonlySet<string>): string[] =>
  firstMessages(faultsOf(push, customFieldKeys));

function* faultsOf(push: ShipmentPush, customFieldKeys: ReadonlySet<string>): Generator<string> {
  const lines = countLines(push);
  if (lines > limits.linesPerPush) yield `shipments must carry at most ${limits.linesPerPush} goods lines in total, not ${lines}`;
  const bytes = shipmentsFileBytes(push);
  if (bytes > limits.pushFileBytes)
    yield `shipments must come to at most ${limits.pushFileBytes} bytes as a file, not ${bytes}: every goods line repeats its shipment's fields, so send them in several pushes`;
  for (const [index, { customFields = {} }] of push.shipments.entries()) {
    for (const key of Object.keys(customFields)) {
      if (!customFieldKeys.has(key))
        yield `${pathText(["shipments", index, "customFields", key], "body")} is not a custom field of this organisation`;
    }
  }
}

const activity = requestObject("PushedActivity", pushedFields("activity", "required"));

export const activityPush = requestObject("ActivityPush", {
  activities: z.array(activity).min(1).max(limits.activitiesPerPush).describe("The activities. Each is recorded and billed"),
  sourceDetails: sourceDetailsSchema.optional().describe("Your reference for this push; `API push` by default"),
});

const maxRow = 2_147_483_647;

const correctedRow = requestObject("CorrectedRow", {
  row: z.int().min(1).max(maxRow).describe("The row's number, as the list of rejected rows or the ledger of activities shows it"),
  values: z.record(z.string(), textSchema()).describe("New values, by column name. The other columns keep their values"),
});

export const correctionPush = requestObject("CorrectionPush", {
  rows: z
    .array(correctedRow)
    .min(1)
    .max(limits.rowsPerCorrection)
    .refine((rows) => new Set(rows.map(({ row }) => row)).size === rows.length, "must name each row once")
    .describe("The corrections, each row once"),
});

export type CorrectionPush = z.infer<typeof correctionPush> & {
  /** Why accepted rows are corrected. */
  readonly reason?: string | undefined;
};

export const activityCorrectionPush = requestObject("ActivityCorrectionPush", {
  ...correctionPush.shape,
  reason: reasonSchema.optional().describe("Why. Required if one of the rows was accepted. Shown to everybody who can see the import"),
});
