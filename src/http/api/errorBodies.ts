import { z } from "zod";
import type { ResponseDescription } from "./route.js";

/** The shapes of every answer that is not a success. */
export const errorBodies = {
  ValidationError: z.object({
    statusCode: z.literal(400),
    message: z.union([z.array(z.string()), z.string()]).describe("Path-first sentences for a body, one sentence otherwise"),
    error: z.literal("Bad Request"),
  }),
  Unauthorised: z.object({ message: z.string() }),
  RateLimited: z.object({ message: z.string(), limit: z.int(), retryAfterSeconds: z.int() }),
  Error: z.object({ statusCode: z.int(), message: z.string(), error: z.string() }),
} as const;

export const commonResponses: Readonly<Record<number, ResponseDescription>> = {
  400: { description: "The address is not correctly percent-encoded or contains a NUL character" },
  401: { description: "The header x-api-key is missing or does not match an active key" },
  429: { description: "The key's limit per minute is used up; Retry-After says when to come back" },
  500: { description: "A fault on our side" },
  503: { description: "A store is unreachable at the moment; Retry-After says when to come back" },
};

export const jsonBodyResponses: Readonly<Record<number, ResponseDescription>> = {
  408: { description: "The body stopped arriving for some seconds, or took longer than a minute" },
  413: { description: "The body is too large" },
  415: { description: "The body is not JSON in UTF-8" },
};
