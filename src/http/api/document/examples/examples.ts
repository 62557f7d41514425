// The examples of the API reference, by operation.
import { readFileSync } from "node:fs";
import type { Json } from "../schemas.js";

interface ExampleFile {
  readonly name: string;
  readonly text: string;
}

export interface ExampleRequest {
  readonly body?: unknown;
  readonly file?: ExampleFile;
  readonly sourceDetails?: string;
}

const line = (...cells: string[]) => cells.join(",");

const shipments = [
  line(
    "shipmentId",
    "customerId",
    "originPostCode",
    "originSuburb",
    "destinationPostCode",
    "destinationSuburb",
    "itemType",
    "itemQuantity",
  ),
  line("SO-1003", "CUST-001", "2000", "Sydney", "3000", "Melbourne", "CARTON", "4"),
  line("SO-1003", "CUST-001", "2000", "Sydney", "3000", "Melbourne", "PALLET", "1"),
  line("SO-1004", "CUST-001", "2000", "Sydney", "9999", "Nowhere", "CARTON", "2"),
];

const activities = [
  line("warehouseCode", "chargeCode", "quantity", "activityTimestamp", "customerId", "reference"),
  line("SYD1", "PICK", "12", "2026-07-01T09:30:00+10:00", "CUST-001", "SO-1003"),
  line("SYD1", "PICK", "some", "2026-07-01T09:40:00+10:00", "CUST-001", "SO-1004"),
];

/** Requests of the demo organisation, as the reference shows them. A test sends each, and records what is answered in answers.json. */
export const exampleRequests: Readonly<Record<string, ExampleRequest>> = {
  generateQuotes: {
    body: {
      general: { customerIds: ["CUST-001"] },
      origin: { postalCode: "2000", suburbName: "Sydney" },
      destination: { postalCode: "3000", suburbName: "Melbourne" },
      items: [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30, type: "CARTON" }],
      filters: { serviceTypes: ["DOMESTIC"] },
    },
  },
  pushShipments: {
    body: {
      sourceDetails: "Monday's orders",
      shipments: [
        {
          shipmentId: "SO-1001",
          customerId: "CUST-001",
          originPostCode: "2000",
          originSuburb: "Sydney",
          originState: "NSW",
          destinationPostCode: "3000",
          destinationSuburb: "Melbourne",
          destinationState: "VIC",
          quoteDate: "2026-07-01",
          customFields: { purchaseOrder: "PO-7781" },
          items: [
            { itemType: "CARTON", itemQuantity: 4, itemWeight: 12.5 },
            { itemType: "PALLET", itemQuantity: 1, itemWeight: 310 },
          ],
        },
      ],
    },
  },
  uploadShipments: { file: { name: "orders.csv", text: `${shipments.join("\n")}\n` }, sourceDetails: "Tuesday's orders" },
  correctShipmentRows: { body: { rows: [{ row: 4, values: { destinationPostCode: "3000", destinationSuburb: "Melbourne" } }] } },
  pushActivities: {
    body: {
      sourceDetails: "Night shift",
      activities: [
        {
          ...{ warehouseCode: "SYD1", chargeCode: "PICK", quantity: 40, activityTimestamp: "2026-07-01T23:10:00+10:00" },
          ...{ customerId: "CUST-001", reference: "SO-1001" },
        },
        { warehouseCode: "SYD1", chargeCode: "STORAGE", quantity: 2.5, activityTimestamp: "2026-07-01", customerId: "CUST-002" },
      ],
    },
  },
  uploadActivities: { file: { name: "activities.csv", text: `${activities.join("\n")}\n` } },
  correctFulfilmentRows: { body: { rows: [{ row: 3, values: { quantity: "7" } }] } },
};

/** Recorded by a test with UPDATE_EXAMPLES=1: what the demo organisation is answered, by operation and status. */
export const exampleAnswers = JSON.parse(readFileSync(new URL("./answers.json", import.meta.url), "utf8")) as Readonly<
  Record<string, Readonly<Record<string, unknown>>>
>;

/** Ids are those of the recorded answers. */
const exampleParameters: Readonly<Record<string, string | number>> = {
  importId: "0198c2f0-0000-7000-8000-000000000003",
  quoteId: "0198c2f0-0000-7000-8000-000000000001",
  shipmentId: "SO-1001",
  "webhook-id": "0198c2f0-0000-7000-8000-000000000009",
  "webhook-timestamp": "1783038600",
  "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
};

/** Only required parameters have an example: Postman and other tools would send an optional one too. */
export const parameterExample = (name: string): Json => {
  const example = exampleParameters[name];
  return example === undefined ? {} : { example };
};

export function requestExample(operationId: string): Json {
  const { body, file, sourceDetails } = exampleRequests[operationId] ?? {};
  if (body !== undefined) return { example: body };
  return file === undefined ? {} : { example: { file: file.text, ...(sourceDetails === undefined ? {} : { sourceDetails }) } };
}

/** `mebibytes`: how large the operation's JSON may be; undefined where it takes none. */
export function answerExample(operationId: string, status: number, mebibytes: number | undefined): Json {
  const recorded = exampleAnswers[operationId]?.[status];
  if (recorded !== undefined) return { example: recorded };
  if (status === 413 && mebibytes !== undefined) return { example: answer(413, "Payload Too Large", bodyTooLarge(mebibytes)) };
  return otherAnswers[status] === undefined ? {} : { example: otherAnswers[status] };
}

const bodyTooLarge = (mebibytes: number) => `The body is larger than ${mebibytes * 1024 * 1024} bytes. Send the data in several requests`;

const answer = (statusCode: number, error: string, message: string) => ({ statusCode, message, error });

/** Examples of the answers that every operation may give. A test compares each with a real answer. */
const otherAnswers: Readonly<Record<number, unknown>> = {
  400: answer(400, "Bad Request", "The address must not contain a NUL character"),
  401: { message: "Send your API key in the header x-api-key" },
  405: answer(405, "Method Not Allowed", "PUT is not possible here, use GET, HEAD"),
  408: answer(408, "Request Timeout", "The body stopped arriving before its end, send the request again"),
  413: answer(413, "Payload Too Large", "The file is larger than 50 MB (52,428,800 bytes). Split it and upload the parts."),
  415: answer(415, "Unsupported Media Type", "Send the body as JSON, with the header Content-Type: application/json"),
  417: answer(417, "Expectation Failed", "Nothing but 100-continue can be expected"),
  429: {
    message: "The limit of 600 requests per minute is used up, try again in 12 seconds",
    ...{ limit: 600, retryAfterSeconds: 12 },
  },
  431: answer(431, "Request Header Fields Too Large", "The request could not be read"),
  500: answer(500, "Internal Server Error", "Something went wrong on our side. Quote the x-request-id of this answer when you report it"),
  503: answer(503, "Service Unavailable", "A store is unreachable at the moment, try again shortly"),
};
