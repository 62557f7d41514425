// Describes the error answers, and the headers of all answers, in the OpenAPI document.
import { z } from "zod";
import type { KeyScope } from "../../../domain/keyScopes.js";
import type { ResponseDescription } from "../route.js";
import { answerExample } from "./examples/examples.js";
import { type Json, type Media, type SchemaCollector, schemaReference } from "./schemas.js";

const statusCode = z.int().describe("The HTTP status");
const error = z.string().describe("The name of the status, such as Not Found");

/** The body of every error answer is one of these. */
const errorBodies = {
  ValidationError: z.object({
    statusCode: z.literal(400).describe("The HTTP status"),
    // Has no type: most generated clients misread a union of a list and a text, and an answer that they cannot read hides the message.
    message: z
      .any()
      .describe(
        "What is wrong. For the body, the query and the headers a list of texts, each beginning with the place, such as `shipments.0.items must contain at least 1 element`. Otherwise one text, for example about the structure of a file or a full queue",
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
    retryAfterSeconds: z.int().describe("Seconds until the key may send requests again, as in Retry-After"),
  }),
  ApiError: z.object({ statusCode, message: z.string().describe("What is wrong and what to do about it, for people"), error }),
} as const;

export function addErrorBodies(schemas: SchemaCollector): void {
  for (const [id, schema] of Object.entries(errorBodies)) schemas.add(schema.meta({ id }), "answer");
}

export const commonResponses: Readonly<Record<number, ResponseDescription>> = {
  400: { description: "The address is not correctly percent-encoded or contains a NUL character, or a header is malformed" },
  401: { description: "The header x-api-key is missing or does not match an active key" },
  405: { description: "Another method was used at this path; the header Allow names those it has" },
  408: { description: "The request did not arrive in time. Send it again" },
  417: { description: "The header Expect asks for something other than 100-continue" },
  429: { description: "The key has used up its requests per minute. Retry-After says when to continue" },
  431: { description: "The request's headers are larger than 16 KiB. Shorten them" },
  500: { description: "A fault on our side. Quote the x-request-id when you report it" },
  503: {
    description:
      "A store is unreachable, or the service is too busy. Retry-After says when to try again. The push may have been recorded, so repeat it with the same Idempotency-Key",
  },
};

export const scopeResponses = (scopes: readonly KeyScope[]): Readonly<Record<number, ResponseDescription>> => ({
  403: { description: `The key does not have the scope ${scopes.join(" or ")}` },
});

export const jsonBodyResponses = (maxMiB: number): Readonly<Record<number, ResponseDescription>> => ({
  408: { description: "The body stopped arriving for 5 seconds, or took longer than a minute. Send it again" },
  413: { description: `The body is larger than ${maxMiB} MiB. Send the data in several requests` },
  415: { description: "The body is not JSON in UTF-8, or is compressed" },
});

interface OperationAnswer {
  readonly operationId: string;
  readonly status: number;
  /** The largest JSON body; undefined for an operation without one. */
  readonly maxMiB: number | undefined;
  /** The key needs one of these. */
  readonly scopes: readonly KeyScope[];
}

export function describeAnswer(
  { operationId, status, maxMiB, scopes }: OperationAnswer,
  { description, schema }: ResponseDescription,
  schemas: SchemaCollector,
): { description: string; headers: Json; content?: Record<string, Media> } {
  const error = status < 400 ? undefined : { $ref: schemaReference(errorBodyName(status)) };
  const content = schema === undefined ? error : schemas.add(schema, "answer");
  const headers = Object.fromEntries(headersOf(status).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  if (content === undefined) return { description, headers };
  return {
    description,
    headers,
    content: { "application/json": { schema: content, ...answerExample(operationId, status, maxMiB, scopes) } },
  };
}

export const answerHeaders = {
  "x-request-id": { description: "The id that was sent with the request, or a new one", schema: { type: "string" } },
  "RateLimit-Limit": { description: "Requests that the key has per minute", schema: { type: "integer" } },
  "RateLimit-Remaining": { description: "Requests left in this minute", schema: { type: "integer" } },
  "RateLimit-Reset": { description: "Seconds until the next minute begins", schema: { type: "integer" } },
  "Retry-After": { description: "Seconds to wait before the request is sent again", schema: { type: "integer" } },
};

/** Answers with these statuses may go to callers without a valid key, so they have no rate limit headers. */
const statusesWithoutKey = new Set([401, 405, 417, 431]);

function headersOf(status: number): string[] {
  const { "Retry-After": _, ...usualHeaders } = answerHeaders;
  if (statusesWithoutKey.has(status)) return ["x-request-id"];
  return Object.keys(status === 429 || status === 503 ? answerHeaders : usualHeaders);
}

const errorBodyName = (status: number): keyof typeof errorBodies =>
  status === 400 ? "ValidationError" : status === 401 ? "Unauthorised" : status === 429 ? "RateLimited" : "ApiError";
