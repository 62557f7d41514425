import { z } from "zod";
import { commonResponses, errorBodies, jsonBodyResponses } from "./errorBodies.js";
import type { RequestSchemas, ResponseDescription, Route } from "./route.js";
import { webhookDescriptions, webhookHeaders } from "./webhooks.js";

type Json = Record<string, unknown>;

/** The OpenAPI 3.1 document, generated from the schemas that validate. Extensions to the contract carry `x-extension: true`. */
export function describeApi(routes: readonly Route[], publicUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Waybill",
      version: "1",
      description: "Freight quotes, shipment imports and fulfilment activity imports for an organisation and its customers.",
    },
    // The relative address first: the reference page may call only the host that it was loaded from.
    servers: [{ url: "/" }, { url: publicUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: describeWebhooks(),
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "x-api-key" } },
      headers: answerHeaders,
      schemas: Object.fromEntries(Object.entries(errorBodies).map(([name, schema]) => [name, jsonSchema(schema, "output")])),
    },
  };
}

function describeRoute(route: Route): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    ...(route.extension === true ? { "x-extension": true } : {}),
    parameters: [
      ...parameters("path", route.request.params),
      ...parameters("query", route.request.query),
      ...parameters("header", route.request.headers),
    ],
    ...requestBody(route.request),
    responses: Object.fromEntries(
      Object.entries({ ...commonResponses, ...(route.request.body && jsonBodyResponses), ...route.responses }).map(([status, response]) => [
        status,
        describeResponse(Number(status), response),
      ]),
    ),
  };
}

/** What the organisation's own endpoints are sent. */
function describeWebhooks(): Record<string, Json> {
  const answers = {
    "2XX": { description: "Received. Anything else, and no answer within 15 s, is sent again for three days" },
    410: { description: "Removes the endpoint" },
  };
  const describe = ({ type, summary, body }: (typeof webhookDescriptions)[number]): Json => ({
    post: {
      ...{ operationId: `webhook ${type}`, summary, tags: ["Webhooks"], security: [], "x-extension": true },
      parameters: parameters("header", webhookHeaders),
      requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body, "output") } } },
      responses: answers,
    },
  });
  return Object.fromEntries(webhookDescriptions.map((each) => [each.type, describe(each)]));
}

function parameters(place: "path" | "query" | "header", schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, "input") as { properties?: Record<string, Json>; required?: string[] };
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: property,
  }));
}

function requestBody({ body, multipart }: RequestSchemas): Json {
  const [type, schema] = body === undefined ? ["multipart/form-data", multipart] : ["application/json", body];
  return schema === undefined ? {} : { requestBody: { required: true, content: { [type]: { schema: jsonSchema(schema, "input") } } } };
}

function describeResponse(status: number, { description, schema }: ResponseDescription): Json {
  const reference = status < 400 ? undefined : { $ref: `#/components/schemas/${errorName(status)}` };
  const content = schema === undefined ? reference : jsonSchema(schema, "output");
  const headers = Object.fromEntries(headersOf(status).map((name) => [name, { $ref: `#/components/headers/${name}` }]));
  return { description, headers, ...(content === undefined ? {} : { content: { "application/json": { schema: content } } }) };
}

const answerHeaders = {
  "x-request-id": { description: "The id that was sent with the request, or a new one", schema: { type: "string" } },
  "RateLimit-Limit": { description: "Requests that the key has per minute", schema: { type: "integer" } },
  "RateLimit-Remaining": { description: "Those left in this minute", schema: { type: "integer" } },
  "RateLimit-Reset": { description: "Seconds until the next minute begins", schema: { type: "integer" } },
  "Retry-After": { description: "Seconds to wait before the request is sent again", schema: { type: "integer" } },
};

function headersOf(status: number): string[] {
  const { "Retry-After": _, ...always } = answerHeaders;
  if (status === 401) return ["x-request-id"]; // no key is known, so no rate limit applies
  return Object.keys(status === 429 || status === 503 ? answerHeaders : always);
}

const errorName = (status: number): keyof typeof errorBodies =>
  status === 400 ? "ValidationError" : status === 401 ? "Unauthorised" : status === 429 ? "RateLimited" : "Error";

function jsonSchema(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any", override: inTheApisTerms });
  return rest;
}

/** Removes the bounds of JavaScript's numbers, which zod adds to every whole number, and keeps the default of a text that becomes a number. */
function inTheApisTerms({
  zodSchema,
  jsonSchema: described,
}: {
  zodSchema: z.core.$ZodTypes;
  jsonSchema: z.core.JSONSchema.BaseSchema;
}): void {
  if (described.maximum === Number.MAX_SAFE_INTEGER) delete described.maximum;
  if (described.minimum === Number.MIN_SAFE_INTEGER) delete described.minimum;
  if (zodSchema._zod.def.type === "default") described.default = zodSchema._zod.def.defaultValue as typeof described.default;
}
