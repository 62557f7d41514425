// What is sent to the organisation's own endpoints, for the OpenAPI document.
import { z } from "zod";
import { importSchema } from "../routes/importsShape.js";
import { instant } from "./instant.js";

/** Standard Webhooks, https://www.standardwebhooks.com */
export const webhookHeaders = z.object({
  "webhook-id": z
    .string()
    .describe("The id of the event: the same at every attempt and every replay, so that a receiver can tell a repetition"),
  "webhook-timestamp": z.string().describe("When this attempt was made, in seconds since 1970"),
  "webhook-signature": z
    .string()
    .describe("`v1,` and the signature, base64; for a day after a rotation several of them, with spaces between"),
});

const body = <Data extends z.ZodType>(type: string, data: Data) =>
  z.object({ type: z.literal(type).describe("What happened"), timestamp: instant("When it happened"), data });

const ofImport = (type: string, summary: string) => ({
  ...{ type, summary },
  body: body(type, importSchema.describe("The import as it was then")),
});

export const webhookDescriptions = [
  ofImport("import.started", "A worker has begun with an import"),
  ofImport("import.completed", "An import has ended; its rows are in the ledger, but for those that were rejected"),
  ofImport("import.failed", "An import could not run; nothing was written"),
  ofImport("import.cancelled", "An import was cancelled; nothing was written"),
  {
    type: "ping",
    summary: "A test of the endpoint",
    body: body("ping", z.object({ endpointId: z.string().describe("The endpoint that is tried") }).describe("What is tried")),
  },
];
