import type { IncomingMessage } from "node:http";
import { zValidator } from "@hono/zod-validator";
import type { Handler, MiddlewareHandler } from "hono";
import type { z } from "zod";
import { Rejection } from "../../domain/rejection.js";
import { faultsOf, parseInSentences } from "../../domain/validation.js";
import type { Slots } from "../../slots.js";
import { readInTime, readPatienceMs } from "../server/answerInTime.js";
import { send } from "../server/aroundRequest.js";
import { parseJson, requireJson } from "../server/parseJson.js";
import { maxJsonBytes, type WithBody } from "../server/readBody.js";
import type { Authenticate } from "./auth/authenticate.js";
import type { ApiDeps } from "./deps.js";
import type { ApiEnv, BodyAhead, Caller, Route } from "./route.js";

/** Shared by all routes of an app. */
export interface RouteFrame {
  readonly authenticate: Authenticate;
  readonly withBody: WithBody;
  readonly uploads: Slots;
  /** Limits the files that are made of JSON bodies, in bytes. */
  readonly disk: Slots;
}

/** Serves every route: authenticates, validates the request, then calls the handler. */
export function serveRoute(route: Route, deps: ApiDeps, frame: RouteFrame): readonly Handler<ApiEnv>[] {
  const { query, headers, params } = route.request;
  return [
    admit(route, frame.authenticate),
    ...(query ? [validated("query", query, "query")] : []),
    ...(headers ? [validated("header", headers, "headers")] : []),
    ...(params ? [validated("param", params, "path")] : []),
    callHandler(route, deps, frame),
  ];
}

const admit =
  (route: Route, authenticate: Authenticate): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    c.set("route", route.path);
    const startedAt = performance.now();
    const { admission, isLikely } = authenticate(c.req.header("x-api-key"));
    if (isLikely) c.set("bodyAhead", bodyAhead(route, c.req.raw, c.env?.incoming));
    const { caller, headers, expectScope, recheckAccess } = await admission;
    c.set("answerHeaders", { ...c.get("answerHeaders"), ...headers });
    c.set("loggedAs", { organisationId: caller.organisationId, keyPrefix: caller.keyPrefix });
    expectScope(route.scope);
    c.set("caller", { ...caller, requestId: c.get("requestId"), admissionMs: performance.now() - startedAt });
    // The key is looked up again only for a body that is still arriving.
    if (!c.env?.incoming?.complete) c.set("recheckAccess", recheckAccess);
    await next();
  };

/** Validates one part of a request. A parameter that is given twice is a list, which its schema rejects. */
function validated(target: "query" | "header" | "param", schema: z.ZodObject, root: string): MiddlewareHandler<ApiEnv> {
  const options = { validationFunction: parseInSentences };
  return zValidator(target, schema, (result) => void valueOrReject(result, root), options) as MiddlewareHandler<ApiEnv>;
}

/** The parsed value, or a rejection with all faults and their paths. */
function valueOrReject<T>(result: { success: true; data: T } | { success: false; error: z.core.$ZodError }, root: string): T {
  if (result.success) return result.data;
  const faults = faultsOf(result.error, root);
  throw new Rejection("invalid", faults[0] ?? `${root} is invalid`, faults);
}

function callHandler(route: Route, deps: ApiDeps, frame: RouteFrame): Handler<ApiEnv> {
  return async (c) => {
    const valid = (target: "query" | "header" | "param") => c.req.valid(target as never) as unknown;
    const caller = c.get("caller") as Caller;
    const { organisationId } = caller;
    const parts = { params: valid("param"), query: valid("query"), headers: valid("header"), caller, incoming: c.env?.incoming };
    if (route.method === "GET") {
      const request = { organisationId, clientLeft: c.req.raw.signal, ms: readPatienceMs - caller.admissionMs, what: route.operationId };
      return send(c, await readInTime(deps, request, (own) => route.handler({ ...parts, body: undefined } as never, own)));
    }
    const admitting = async (step: Promise<void> | undefined) => {
      const startedAt = performance.now();
      await step;
      caller.admissionMs += performance.now() - startedAt;
    };
    await admitting(route.beforeBody?.(parts as never, deps));
    const admitted = { ...parts, recheckAccess: () => admitting(c.get("recheckAccess")?.()) };
    const disk = frame.disk.share(organisationId);
    try {
      const handle = (body: unknown) => route.handler({ ...admitted, body, reserveDisk: disk.hold } as never, deps);
      const ahead = await c.get("bodyAhead");
      if (ahead) return send(c, await handle(ahead()));
      const { body, multipart } = route.request;
      if (multipart) return send(c, await frame.uploads.within(organisationId, () => handle(undefined)));
      if (body === undefined) return send(c, await handle(undefined));
      requireJson(c.req.raw.headers);
      const { incoming, recheckAccess } = admitted;
      const limit = route.maxBodyBytes ?? maxJsonBytes;
      const bodyRequest = { limit, organisationId, recheckAccess, bytesRead: incoming && (() => incoming.socket.bytesRead) };
      const parsed = (bytes: Uint8Array) => valueOrReject(parseInSentences(body, parseJson(bytes)), "body");
      return send(c, await frame.withBody(c.req.raw, bodyRequest, (bytes) => handle(parsed(bytes))));
    } finally {
      disk.release();
    }
  };
}

/** Most requests for quotes are smaller. */
const aheadBytes = 16 * 1024;

/**
 * Parses and validates a small body that has arrived whole while the database looks the key up, which takes longer. Only for a key whose last
 * request was admitted, so that nobody else makes the service work. What is wrong with the body is said once the key is known to be valid.
 */
async function bodyAhead(route: Route, request: Request, incoming: IncomingMessage | undefined): Promise<BodyAhead | undefined> {
  const { body } = route.request;
  if (body === undefined) return undefined;
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (!(length <= Math.min(aheadBytes, route.maxBodyBytes ?? aheadBytes))) return undefined;
  await new Promise(setImmediate); // behind the look-up, which is sent at the end of this iteration of the event loop
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
