// The examples of the API reference, by operation.
import { readFileSync } from "node:fs";
import { type KeyScope, keyScopes, scopeRefusal } from "../../../../domain/keyScopes.js";
import { answerTable } from "../../../server/problem.js";
import type { Json } from "../schemas.js";

export interface ExampleRequest {
  readonly body?: unknown;
  readonly file?: { readonly name: string; readonly text: string };
  readonly sourceDetails?: string;
}

const shipments = `shipmentId,customerId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,itemQuantity
SO-1003,CUST-001,2000,Sydney,3000,Melbourne,CARTON,4
SO-1003,CUST-001,2000,Sydney,3000,Melbourne,PALLET,1
SO-1004,CUST-001,2000,Sydney,9999,Nowhere,CARTON,2
`;

const activities = `warehouseCode,chargeCode,quantity,activityTimestamp,customerId,reference
SYD1,PICK,12,2026-07-01T09:30:00+10:00,CUST-001,SO-1003
SYD1,PICK,some,2026-07-01T09:40:00+10:00,CUST-001,SO-1004
`;

/** Requests of the demo organisation, as the reference shows them. A test sends them and compares the answers with answers.json. */
export const exampleRequests: Readonly<Record<string, ExampleRequest>> = {
  generateQuotes: {
    body: {
      general: { customerIds: ["CUST-001"] },
      origin: { postalCode: "2000", suburbName: "Sydney" },
      destination: { postalCode: "3000", suburbName: "Melbourne" },
      items: [{ quantity: 6, length: 0.5, width: 0.4, height: 0.4, weight: 30, type: "CARTON" }],
      filters: { serviceTypes: ["DOMESTIC"], serviceIds: ["roadco-std"] },
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
  uploadShipments: { file: { name: "orders.csv", text: shipments }, sourceDetails: "Tuesday's orders" },
  correctShipmentRows: { body: { rows: [{ row: 4, values: { destinationPostCode: "3000", destinationSuburb: "Melbourne" } }] } },
  pushActivities: {
    body: {
      sourceDetails: "Night shift",
      activities: [
        {
          warehouseCode: "SYD1",
          chargeCode: "PICK",
          quantity: 40,
          activityTimestamp: "2026-07-01T23:10:00+10:00",
          customerId: "CUST-001",
          reference: "SO-1001",
        },
        { warehouseCode: "SYD1", chargeCode: "STORAGE", quantity: 2.5, activityTimestamp: "2026-07-01", customerId: "CUST-002" },
      ],
    },
  },
  uploadActivities: { file: { name: "activities.csv", text: activities } },
  correctFulfilmentRows: { body: { rows: [{ row: 3, values: { quantity: "7" } }], reason: "Read from the pick list" } },
  reverseShipmentRows: { body: { all: true, reason: "Monday's file was sent twice" } },
  reverseFulfilmentRows: { body: { all: true, reason: "Monday's file was sent twice" } },
};

/** The demo organisation's answers by operation and status, recorded by `npm run answers`. Of an error only the message is recorded. */
export const exampleAnswers = JSON.parse(readFileSync(new URL("./answers.json", import.meta.url), "utf8")) as Readonly<
  Record<string, Readonly<Record<string, unknown>>>
>;

/** Values of parameters. The ids are those in the recorded answers. */
const exampleParameters: Readonly<Record<string, string | number>> = {
  importId: "0198c2f0-0000-7000-8000-000000000003",
  quoteId: "0198c2f0-0000-7000-8000-000000000001",
  shipmentId: "SO-1001",
  since: "2026-07-01",
  "webhook-id": "0198c2f0-0000-7000-8000-000000000009",
  "webhook-timestamp": "1783038600",
  "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
};

/** For required parameters only: Postman and other tools would also send the example of an optional parameter. */
export const parameterExample = (name: string) => {
  const example = exampleParameters[name];
  return example === undefined ? {} : { example };
};

export function requestExample(operationId: string) {
  const { body, file, sourceDetails } = exampleRequests[operationId] ?? {};
  if (body !== undefined) return { example: body };
  return file === undefined ? {} : { example: { file: file.text, ...(sourceDetails === undefined ? {} : { sourceDetails }) } };
}

/** `maxMiB`: the largest JSON body; undefined for an operation without one. `scopes`: the key needs one of these. */
export function answerExample(operationId: string, status: number, maxMiB: number | undefined, scopes: readonly KeyScope[] = []): Json {
  if (status === 401) return { example: { message: "Send your API key in the header x-api-key" } };
  if (status === 429) return { example: rateLimitedBody };
  const recorded =
    exampleAnswers[operationId]?.[status] ?? (status === 403 ? missingScopeMessage(scopes) : fallbackExample(operationId, status, maxMiB));
  if (recorded === undefined) return {};
  return { example: status < 400 ? recorded : { statusCode: status, message: recorded, error: errorNames.get(status) } };
}

/** The message for a key that has all other scopes. */
const missingScopeMessage = (needed: readonly KeyScope[]) => scopeRefusal(keyScopes.filter((scope) => !needed.includes(scope)));

/** The example for an operation without a recorded answer: the same answer of another operation, or a message that many have. */
export function fallbackExample(operationId: string, status: number, maxMiB?: number, recorded = exampleAnswers): unknown {
  if (operationId === "fetchQuote" && status === 200) return recorded["generateQuotes"]?.[200];
  if (operationId === "getLedgerShipment" && status === 200)
    return (recorded["listLedgerShipments"]?.[200] as { items: readonly unknown[] } | undefined)?.items[0];
  if (status === 413 && maxMiB !== undefined)
    return `The body is larger than ${maxMiB * 1024 * 1024} bytes. Send the data in several requests`;
  if (operationId.startsWith("list") && status === 400) return ["limit must be a whole number from 1 to 500"];
  return commonMessages[status];
}

const errorNames = new Map(Object.values(answerTable).map(({ status, error }) => [status, error]));

const rateLimitedBody = {
  message: "The limit of 600 requests per minute is used up, try again in 12 seconds",
  limit: 600,
  retryAfterSeconds: 12,
};

/** The messages of errors that many operations may answer. A test compares each with a real answer. */
const commonMessages: Readonly<Record<number, string>> = {
  400: "The address must not contain a NUL character",
  404: "There is no import with this id",
  405: "PUT is not possible here, use GET, HEAD",
  408: "The body stopped arriving before its end, send the request again",
  413: "The file is larger than 50 MB (52,428,800 bytes). Split it and upload the parts.",
  415: "Send the body as JSON, with the header Content-Type: application/json",
  417: "Nothing but 100-continue can be expected",
  422: "This Idempotency-Key was used for another request. Send a new key with a new request",
  431: "The request could not be read",
  500: "Something went wrong on our side. Quote the x-request-id of this answer when you report it",
  503: "A store is unreachable at the moment, try again shortly",
};
