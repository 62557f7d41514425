// What the fuzz test of requests generates: JSON, forms and addresses, and valid bodies of which it replaces a value.
import fc from "fast-check";

const words = [
  ..."general origin destination items filters customerIds postalCode countryCode quantity length weight __proto__ constructor".split(" "),
  ..."shipments activities sourceDetails shipmentId customFields itemQuantity activityTimestamp warehouseCode chargeCode".split(" "),
];
export const json = fc.letrec<{ any: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 1e308, 0.1, "", "2000", "\u0000", "\ud800", "2026-01-01T00:00:00Z", "CUST-001"),
    fc.double({ noNaN: true }),
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 8 })), tie("any"), { maxKeys: 6 }),
  ),
})).any;

const item = { quantity: 1, length: 1, width: 1, height: 1, weight: 1, type: "Carton", itemValue: 1 };
const place = { postalCode: "2000", suburbName: "Sydney", countryCode: "AU" };
export const validBodies: Record<string, unknown> = {
  generateQuotes: { general: { customerIds: ["CUST-001"] }, origin: place, destination: place, items: [item], filters: { carrierIds: [] } },
  pushShipments: {
    shipments: [
      { shipmentId: "S", quoteDate: "2026-01-01T00:00:00Z", customFields: { project: "x" }, items: [{ itemType: "Box", itemQuantity: 1 }] },
    ],
    sourceDetails: "fuzz",
  },
  pushActivities: {
    activities: [{ warehouseCode: "W", chargeCode: "C", quantity: 1, activityTimestamp: "2026-01-01T00:00:00Z", reference: "r" }],
    sourceDetails: "fuzz",
  },
  correctShipmentRows: { rows: [{ row: 2, values: { originPostCode: "2000", "customFields.project": "x" } }] },
  correctFulfilmentRows: { rows: [{ row: 1, values: { quantity: "1" } }] },
  reverseShipmentRows: { shipmentIds: ["S"], reason: "r", includeCorrections: true, preview: true },
  reverseFulfilmentRows: { rows: [1], reason: "r", includeCorrections: true, preview: true },
};

/** Every place in a body, so that any one of them can be replaced. */
export const placesIn = (value: unknown, path: string[] = []): string[][] =>
  typeof value !== "object" || value === null
    ? [path]
    : [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];

export function replaced(body: unknown, [head, ...rest]: readonly string[], value: unknown): unknown {
  if (head === undefined) return value;
  const copy = (Array.isArray(body) ? [...body] : { ...(body as object) }) as Record<string, unknown>;
  copy[head] = replaced(copy[head], rest, value);
  return copy;
}

export const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.uuid(),
  fc.constantFrom("0", "501", "1e3", "%", "..", "null", "\u0000"),
);

export const goodFile = {
  shipments: "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType\nS,2000,Sydney,3000,Melbourne,Box\n",
  activities: "warehouseCode,chargeCode,quantity,activityTimestamp\nW,C,1,2026-01-01\n",
};

/** A part of a form, whose headers and content may be missing, repeated or nonsense. */
const formPart = (file: string) =>
  fc.record({
    headers: fc.array(
      fc.oneof(
        fc.constantFrom(
          ...['form-data; name="file"; filename="a.csv"', 'form-data; name="file"', 'form-data; name="sourceDetails"', "form-data"],
          ...["attachment", "form-data; name=\"file\"; filename*=utf-8''%ff.csv", 'form-data; name="file"; filename="../a\\".xlsx"'],
        ),
        fc.stringMatching(/^[ -~]{0,40}$/),
      ),
      { minLength: 0, maxLength: 2 },
    ),
    more: fc.constantFrom("", "content-type: text/csv\r\n", "content-transfer-encoding: base64\r\n", "content-type: ;;=\r\n", ":\r\n"),
    content: fc.oneof(fc.constant(Buffer.from(file)), fc.uint8Array({ maxLength: 100 }).map(Buffer.from), text.map(Buffer.from)),
  });

export const formOf = (file: string) =>
  fc
    .record({
      parts: fc.array(formPart(file), { maxLength: 4 }),
      type: fc.constantFrom(...["boundary=b", "boundary=b", "boundary=b", 'boundary="b"', "boundary=", "boundary=c; charset=x", ""]),
      end: fc.constantFrom("--b--\r\n", "--b--\r\n", "--b\r\n", ""),
    })
    .map(({ parts, type, end }) => {
      const pieces = parts.flatMap(({ headers, more, content }) => [
        Buffer.from(`--b\r\n${headers.map((value) => `content-disposition: ${value}\r\n`).join("")}${more}\r\n`),
        content,
        Buffer.from("\r\n"),
      ]);
      return { type: `multipart/form-data; ${type}`, body: Buffer.concat([...pieces, Buffer.from(end)]) };
    });
