import { z } from "zod";
import { neededScopes } from "../../../domain/keyScopes.js";
import { ping, type WebhookStream, webhookEventsByType } from "../../../domain/webhooks/types.js";
import { maxJsonBytes } from "../../server/readBody.js";
import type { Route } from "../route.js";
import { importSchema, reversalSchema } from "../routes/importsShape.js";
import { addErrorBodies, answerHeaders, commonResponses, describeAnswer, jsonBodyResponses, scopeResponses } from "./answers.js";
import { parameterExample, requestExample } from "./examples/examples.js";
import { apiGuide, tagDescriptions } from "./guide.js";
import { collectSchemas, instant, type Media, type SchemaCollector } from "./schemas.js";

/** The OpenAPI 3.1 document, generated from the schemas that validate. Extensions to the contract carry `x-extension: true`. */
export function describeApi(routes: readonly Route[], publicUrl: string) {
  const schemas = collectSchemas();
  addErrorBodies(schemas);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: describeRoute(route, schemas) };
  }
  const tags = [...new Set([...routes.map(({ tag }) => tag), "Webhooks"])];
  return {
    openapi: "3.1.0",
    info: {
      title: "Waybill",
      version: "1.0.0",
      summary: "Freight quotes and imports for an organisation and its customers",
      description: apiGuide,
      contact: { name: "The operator of this service", url: publicUrl },
      license: { name: "Unlicensed", identifier: "UNLICENSED" },
    },
    // The relative address comes first, since the reference page may call only the host that it was loaded from.
    servers: [
      { url: "/", description: "The host of this document" },
      { url: publicUrl, description: "The service's public address" },
    ],
    security: [{ apiKey: [] }],
    tags: tags.map((name) => ({ name, description: tagDescriptions[name] ?? name })),
    paths,
    webhooks: describeWebhooks(schemas),
    components: {
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "x-api-key",
          description: "A key of the organisation. An operation names scopes; the key needs one of them",
        },
      },
      headers: answerHeaders,
      schemas: schemas.components(),
    },
  };
}

export type OpenApi = ReturnType<typeof describeApi>;
export type AnswerDescription = ReturnType<typeof describeAnswer>;
export type Operation = ReturnType<typeof describeRoute>;
export type Parameter = ReturnType<typeof describeParameters>[number];

/** An operation with its method and path. */
export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

function describeRoute(route: Route, schemas: SchemaCollector) {
  const { operationId, summary, description = summary, tag, request, responses } = route;
  const maxMiB = (route.maxBodyBytes ?? maxJsonBytes) / 1024 / 1024;
  const scopes = neededScopes(route.scope);
  const all = { ...commonResponses, ...scopeResponses(scopes), ...(request.body && jsonBodyResponses(maxMiB)), ...responses };
  return {
    operationId,
    summary,
    description: `${sentence(description)} The key needs the scope ${scopes.join(" or ")}.`,
    tags: [tag],
    security: scopes.map((scope) => ({ apiKey: [scope] })),
    ...(route.extension === true ? { "x-extension": true } : {}),
    parameters: [
      ...describeParameters("path", request.params, schemas),
      ...describeParameters("query", request.query, schemas),
      ...describeParameters("header", request.headers, schemas),
    ],
    ...describeRequestBody(route, maxMiB, schemas),
    responses: Object.fromEntries(
      Object.entries(all).map(([status, response]) => [
        status,
        describeAnswer({ operationId, status: Number(status), maxMiB: request.body && maxMiB, scopes }, response, schemas),
      ]),
    ),
  };
}

const sentence = (text: string) => (text.endsWith(".") ? text : `${text}.`);

function describeParameters(place: "path" | "query" | "header", schema: z.ZodObject | undefined, schemas: SchemaCollector) {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemas.add(schema, "request");
  return Object.entries(properties).map(([name, { description, ...property }]) => {
    const isRequired = place === "path" || required.includes(name);
    return {
      name,
      in: place,
      required: isRequired,
      ...(description === undefined ? {} : { description }),
      schema: property,
      ...(isRequired ? parameterExample(name) : {}),
    };
  });
}

function describeRequestBody({ operationId, request: { body, multipart } }: Route, maxMiB: number, schemas: SchemaCollector) {
  if (multipart) {
    const content: Record<string, Media> = {
      "multipart/form-data": { schema: schemas.add(multipart, "request"), ...requestExample(operationId) },
    };
    return {
      requestBody: { required: true, description: "A form with a file of at most 52,428,800 bytes, and optionally a text", content },
    };
  }
  if (!body) return {};
  const content: Record<string, Media> = { "application/json": { schema: schemas.add(body, "request"), ...requestExample(operationId) } };
  return { requestBody: { required: true, description: `At most ${maxMiB} MiB of JSON in UTF-8`, content } };
}

/** Describes the messages that the service sends to an organisation's webhook endpoints. */
function describeWebhooks(schemas: SchemaCollector) {
  const responses = {
    "2XX": { description: "Received. After any other answer except 410, or none within 15 s, the webhook is sent again for three days" },
    410: { description: "Removes the endpoint" },
  };
  const describe = (type: string, meaning: string, data: z.ZodType) => ({
    post: {
      operationId: `webhook-${type.replace(".", "-")}`,
      summary: meaning,
      description: sentence(meaning),
      tags: ["Webhooks"],
      security: [],
      "x-extension": true,
      parameters: describeParameters("header", webhookHeaders, schemas),
      requestBody: { required: true, content: { "application/json": { schema: schemas.add(webhookBody(type, data), "answer") } } },
      responses,
    },
  });
  const events = Object.entries(webhookEventsByType).map(
    ([type, { meaning, stream }]) => [type, describe(type, meaning, webhookData[stream])] as const,
  );
  return Object.fromEntries([...events, [ping.type, describe(ping.type, ping.meaning, pingData)]]);
}

/** The headers of Standard Webhooks, https://www.standardwebhooks.com */
const webhookHeaders = z.object({
  "webhook-id": z
    .string()
    .describe("The id of the event, the same at every attempt and every replay, so that a receiver can recognise a repetition"),
  "webhook-timestamp": z.string().describe("When this attempt was made, in seconds since 1970"),
  "webhook-signature": z
    .string()
    .describe("`v1,` and the signature in base64. For a day after a rotation there are several, separated by spaces"),
});

const webhookBody = (type: string, data: z.ZodType) =>
  z.object({ type: z.literal(type).describe("What happened"), timestamp: instant("When it happened"), data });

/** The `data` of a webhook, by the kind of the event's stream. */
const webhookData: Record<WebhookStream, z.ZodType> = {
  import: importSchema.describe("The import as it was then"),
  reversals: importSchema
    .extend({ reversal: reversalSchema.describe("What was reversed") })
    .describe("The import as it was then, and the reversal"),
};

const pingData = z.object({ endpointId: z.string().describe("The endpoint under test") }).describe("The endpoint under test");
