import type { IncomingMessage } from "node:http";
import { zValidator } from "@hono/zod-validator";
import type { Handler, MiddlewareHandler } from "hono";
import type { z } from "zod";
import { Rejection } from "../../domain/rejection.js";
import { faultsOf, parseInSentences } from "../../domain/validation.js";
import type { Slots } from "../../slots.js";
import { maxReadMs, readInTime } from "../server/answerInTime.js";
import { parseJson, requireJson } from "../server/parseJson.js";
import { maxJsonBytes, type WithBody } from "../server/readBody.js";
import { sendAnswer } from "../server/requestMiddleware.js";
import type { Authenticate } from "./auth/authenticate.js";
import type { ApiDeps } from "./deps.js";
import type { ApiEnv, Caller, EarlyBody, Route } from "./route.js";

/** What all routes of an app share. */
export interface RouteServices {
  readonly authenticate: Authenticate;
  readonly withBody: WithBody;
  readonly uploads: Slots;
  /** Limits the bytes of the files that JSON pushes are written to. */
  readonly diskSpace: Slots;
}

/** Returns the handlers that serve a route: they authenticate the caller, validate the request, and call the route's handler. */
export function serveRoute(route: Route, deps: ApiDeps, services: RouteServices): readonly Handler<ApiEnv>[] {
  const { query, headers, params } = route.request;
  return [
    admitCaller(route, services.authenticate),
    ...(query ? [validatePart("query", query, "query")] : []),
    ...(headers ? [validatePart("header", headers, "headers")] : []),
    ...(params ? [validatePart("param", params, "path")] : []),
    callHandler(route, deps, services),
  ];
}

const admitCaller =
  (route: Route, authenticate: Authenticate): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    c.set("route", route.path);
    const startedAt = performance.now();
    const { admission, isLikelyAdmitted } = authenticate(c.req.header("x-api-key"));
    // Only for a key whose last request was admitted, so that nobody else makes the service work.
    if (isLikelyAdmitted) c.set("earlyBody", readEarlyBody(route, c.req.raw, c.env?.incoming));
    const { caller, headers, expectScope, recheckAccess } = await admission;
    c.set("answerHeaders", { ...c.get("answerHeaders"), ...headers });
    c.set("logFields", { organisationId: caller.organisationId, keyPrefix: caller.keyPrefix });
    expectScope(route.scope);
    c.set("caller", { ...caller, requestId: c.get("requestId"), admissionMs: performance.now() - startedAt });
    // The key is looked up again after the body only if the body is still arriving now.
    if (!c.env?.incoming?.complete) c.set("recheckAccess", recheckAccess);
    await next();
  };

/** Validates one part of a request. A parameter that is sent twice becomes a list, which its schema rejects. */
function validatePart(target: "query" | "header" | "param", schema: z.ZodObject, root: string): MiddlewareHandler<ApiEnv> {
  const options = { validationFunction: parseInSentences };
  return zValidator(target, schema, (result) => void valueOrReject(result, root), options) as MiddlewareHandler<ApiEnv>;
}

/** Returns the parsed value, or throws a rejection with all faults and their paths. */
function valueOrReject<T>(result: { success: true; data: T } | { success: false; error: z.core.$ZodError }, root: string): T {
  if (result.success) return result.data;
  const faults = faultsOf(result.error, root);
  throw new Rejection("invalid", faults[0] ?? `${root} is invalid`, faults);
}

function callHandler(route: Route, deps: ApiDeps, services: RouteServices): Handler<ApiEnv> {
  return async (c) => {
    const partOf = (target: "query" | "header" | "param") => c.req.valid(target as never) as unknown;
    const caller = c.get("caller") as Caller;
    const { organisationId } = caller;
    const parts = { params: partOf("param"), query: partOf("query"), headers: partOf("header"), caller, incoming: c.env?.incoming };
    if (route.method === "GET") {
      const maxMs = maxReadMs - caller.admissionMs;
      const request = { organisationId, clientLeft: c.req.raw.signal, maxMs, operation: route.operationId };
      return sendAnswer(c, await readInTime(deps, request, (readDeps) => route.handler({ ...parts, body: undefined } as never, readDeps)));
    }
    const countAsAdmission = async (step: Promise<void> | undefined) => {
      const startedAt = performance.now();
      await step;
      caller.admissionMs += performance.now() - startedAt;
    };
    await countAsAdmission(route.beforeBody?.(parts as never, deps));
    const admittedParts = { ...parts, recheckAccess: () => countAsAdmission(c.get("recheckAccess")?.()) };
    const diskReservation = services.diskSpace.newReservation(organisationId);
    try {
      const handle = (body: unknown) => route.handler({ ...admittedParts, body, reserveDisk: diskReservation.resize } as never, deps);
      const earlyBody = await c.get("earlyBody");
      if (earlyBody) return sendAnswer(c, await handle(earlyBody()));
      const { body, multipart } = route.request;
      if (multipart) return sendAnswer(c, await services.uploads.withSlot(organisationId, () => handle(undefined)));
      if (body === undefined) return sendAnswer(c, await handle(undefined));
      requireJson(c.req.raw.headers);
      const { incoming, recheckAccess } = admittedParts;
      const limit = route.maxBodyBytes ?? maxJsonBytes;
      const bodyRequest = { limit, organisationId, recheckAccess, bytesRead: incoming && (() => incoming.socket.bytesRead) };
      const parseBody = (bytes: Uint8Array) => valueOrReject(parseInSentences(body, parseJson(bytes)), "body");
      return sendAnswer(c, await services.withBody(c.req.raw, bodyRequest, (bytes) => handle(parseBody(bytes))));
    } finally {
      diskReservation.release();
    }
  };
}

/** Most quote requests are smaller than this. */
const maxEarlyBodyBytes = 16 * 1024;

/**
 * Parses and validates a body while the database looks up the key. The caller learns of a faulty body only when the key is known to be
 * valid. Undefined if the body was not read because it is large or has not arrived as a whole.
 */
async function readEarlyBody(route: Route, request: Request, incoming: IncomingMessage | undefined): Promise<EarlyBody | undefined> {
  const { body } = route.request;
  if (body === undefined) return undefined;
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (!(length <= Math.min(maxEarlyBodyBytes, route.maxBodyBytes ?? maxEarlyBodyBytes))) return undefined;
  await new Promise(setImmediate); // after the look-up, which is sent at the end of this iteration of the event loop
  if (!incoming?.complete) return undefined;
  try {
    requireJson(request.headers);
    const value = valueOrReject(parseInSentences(body, parseJson(new Uint8Array(await request.arrayBuffer()))), "body");
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
