// The answers that are not a success, and the headers of all, as the document describes them.
import { z } from "zod";
import type { KeyScope } from "../../../domain/keyScopes.js";
import type { ResponseDescription } from "../route.js";
import { answerExample } from "./examples/examples.js";
import { type Json, type Media, type SchemaCollector, schemaReference } from "./schemas.js";

const statusCode = z.int().describe("The status of the answer, again");
const error = z.string().describe("The name of the status, such as Not Found");

/** The shapes of every answer that is not a success. */
const errorBodies = {
  ValidationError: z.object({
    statusCode: z.literal(400).describe("The status of the answer, again"),
    // No type: a union of a list and a text is read wrongly by most generated clients, and an answer that they cannot read hides the message.
    message: z
      .any()
      .describe(
        "What is wrong. A list of texts for faults of the body, the query and the headers, each beginning with the place, such as `shipments.0.items must contain at least 1 element`; one text for everything else, such as the structure of a file or a full queue",
      )
      .meta({
        examples: [
          ["general.customerIds must contain at least 1 element"],
          "Invalid file structure. Missing required column(s): chargeCode.",
        ],
      }),
    error: z.literal("Bad Request").describe("The name of the status"),
  }),
  Unauthorised: z.object({ message: z.string().describe("What is wrong with the key") }),
  RateLimited: z.object({
    message: z.string().describe("What happened, for people"),
    limit: z.int().describe("Requests that the key has per minute"),
    retryAfterSeconds: z.int().describe("Seconds until the key has requests again, as in Retry-After"),
  }),
  ApiError: z.object({ statusCode, message: z.string().describe("What is wrong and what to do about it, for people"), error }),
} as const;

export function addErrorBodies(schemas: SchemaCollector): void {
  for (const [id, schema] of Object.entries(errorBodies)) schemas.of(schema.meta({ id }), "answer");
}

export const commonResponses: Readonly<Record<number, ResponseDescription>> = {
  400: { description: "The address is not correctly percent-encoded or contains a NUL character, or a header is malformed" },
  401: { description: "The header x-api-key is missing or does not match an active key" },
  405: { description: "Another method was used at this path; the header Allow names those it has" },
  408: { description: "The request did not arrive in time. Send it again" },
  417: { description: "The header Expect asks for something other than 100-continue" },
  429: { description: "The key's limit per minute is used up; Retry-After says when to come back" },
  431: { description: "The request's headers are larger than 16 KiB. Shorten them" },
  500: { description: "A fault on our side. Quote the x-request-id when you report it" },
  503: {
    description:
      "A store is unreachable at the moment, or too much is under way; Retry-After says when to come back. A push answered so may have been taken: repeat it with the same Idempotency-Key",
  },
};

export const scopeResponses = (scopes: readonly KeyScope[]): Readonly<Record<number, ResponseDescription>> => ({
  403: { description: `The key does not have the scope ${scopes.join(" or ")}` },
});

export const jsonBodyResponses = (mebibytes: number): Readonly<Record<number, ResponseDescription>> => ({
  408: { description: "The body stopped arriving for 5 seconds, or took longer than a minute. Send it again" },
  413: { description: `The body is larger than ${mebibytes} MiB. Send the data in several requests` },
  415: { description: "The body is not JSON in UTF-8, or is compressed" },
});

interface OperationAnswer {
  readonly operationId: string;
  readonly status: number;
  readonly mebibytes: number | undefined;
  /** Those of which the key needs one. */
  readonly scopes: readonly KeyScope[];
}

export function describeAnswer(
  { operationId, status, mebibytes, scopes }: OperationAnswer,
  { description, schema }: ResponseDescription,
  schemas: SchemaCollector,
): { description: string; headers: Json; content?: Record<string, Media> } {
  const error = status < 400 ? undefined : { $ref: schemaReference(errorName(status)) };
  const content = schema === undefined ? error : schemas.of(schema, "answer");
  const headers = Object.fromEntries(headersOf(status).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  if (content === undefined) return { description, headers };
  return {
    description,
    headers,
    content: { "application/json": { schema: content, ...answerExample(operationId, status, mebibytes, scopes) } },
  };
}

export const answerHeaders = {
  "x-request-id": { description: "The id that was sent with the request, or a new one", schema: { type: "string" } },
  "RateLimit-Limit": { description: "Requests that the key has per minute", schema: { type: "integer" } },
  "RateLimit-Remaining": { description: "Those left in this minute", schema: { type: "integer" } },
  "RateLimit-Reset": { description: "Seconds until the next minute begins", schema: { type: "integer" } },
  "Retry-After": { description: "Seconds to wait before the request is sent again", schema: { type: "integer" } },
};

/** Answered without a valid key, so these answers have no rate limit headers. */
const withoutKey = new Set([401, 405, 417, 431]);

function headersOf(status: number): string[] {
  const { "Retry-After": _, ...always } = answerHeaders;
  if (withoutKey.has(status)) return ["x-request-id"];
  return Object.keys(status === 429 || status === 503 ? answerHeaders : always);
}

const errorName = (status: number): keyof typeof errorBodies =>
  status === 400 ? "ValidationError" : status === 401 ? "Unauthorised" : status === 429 ? "RateLimited" : "ApiError";
