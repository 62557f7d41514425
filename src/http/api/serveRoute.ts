import type { IncomingMessage } from "node:http";
import type { Context, Handler } from "hono";
import type { z } from "zod";
import { Rejection } from "../../domain/rejection.js";
import { check } from "../../domain/validation.js";
import type { Slots } from "../../slots.js";
import { readInTime, readPatienceMs } from "../server/answerInTime.js";
import { parseJson, requireJson } from "../server/parseJson.js";
import { maxJsonBytes, type WithBody } from "../server/readBody.js";
import { type AppEnv, send } from "../server/requestFrame.js";
import type { Authenticate } from "./auth/authenticate.js";
import type { ApiDeps } from "./deps.js";
import type { Caller, Route } from "./route.js";

/** Shared by all routes of an app. */
export interface RouteFrame {
  readonly authenticate: Authenticate;
  readonly withBody: WithBody;
  readonly uploads: Slots;
  /** Limits the files that are made of JSON bodies, in bytes. */
  readonly disk: Slots;
}

/** Serves every route: authenticates, validates the request, then calls the handler. */
export function serveRoute(route: Route, deps: ApiDeps, frame: RouteFrame): Handler<AppEnv> {
  const { query, headers, params, body, multipart } = route.request;
  return async (c) => {
    const { caller, ahead, recheckAccess } = await admit(c, route, frame.authenticate);
    const parts = {
      query: query && valid(query, oneOrMany(c.req.queries()), "query"),
      headers: headers && valid(headers, c.req.header(), "headers"),
      params: params && valid(params, c.req.param(), "path"),
      caller,
      incoming: c.env?.incoming,
    };
    const { organisationId } = caller;
    if (route.method === "GET") {
      const request = { organisationId, left: c.req.raw.signal, ms: readPatienceMs - caller.admissionMs, what: route.operationId };
      return send(c, await readInTime(deps, request, (own) => route.handler({ ...parts, body: undefined } as never, own)));
    }
    const admitting = async (step: Promise<void> | undefined) => {
      const startedAt = performance.now();
      await step;
      caller.admissionMs += performance.now() - startedAt;
    };
    await admitting(route.beforeBody?.(parts as never, deps));
    const admitted = { ...parts, recheckAccess: () => admitting(recheckAccess?.()) };
    const disk = frame.disk.share(organisationId);
    try {
      const handle = (given: unknown) => route.handler({ ...admitted, body: given, holdOnDisk: disk.hold } as never, deps);
      const early = await ahead;
      if (early) return send(c, await handle(early()));
      if (multipart) return send(c, await frame.uploads.within(organisationId, () => handle(undefined)));
      if (body === undefined) return send(c, await handle(undefined));
      requireJson(c.req.raw.headers);
      const { incoming } = parts;
      const limit = route.maxBodyBytes ?? maxJsonBytes;
      const bounds = {
        limit,
        organisationId,
        recheckAccess: admitted.recheckAccess,
        bytesRead: incoming && (() => incoming.socket.bytesRead),
      };
      return send(c, await frame.withBody(c.req.raw, bounds, (bytes) => handle(valid(body, parseJson(bytes), "body"))));
    } finally {
      disk.release();
    }
  };
}

async function admit(c: Context<AppEnv>, route: Route, authenticate: Authenticate) {
  const startedAt = performance.now();
  const incoming = c.env?.incoming;
  const { admission, isLikely } = authenticate(c.req.header("x-api-key"));
  const ahead = isLikely ? bodyAhead(route, c.req.raw, incoming) : undefined;
  const { caller: known, headers, expectScope, recheckAccess } = await admission;
  c.set("answerHeaders", { ...c.get("answerHeaders"), ...headers });
  c.set("loggedAs", { organisationId: known.organisationId, keyPrefix: known.keyPrefix });
  expectScope(route.scope);
  const caller: Caller = { ...known, requestId: c.get("requestId"), admissionMs: performance.now() - startedAt };
  // The key is looked up again only for a body that is still arriving.
  return { caller, ahead, recheckAccess: incoming?.complete ? undefined : recheckAccess };
}

/** A parameter that is given twice is a list, which its schema rejects. */
const oneOrMany = (parameters: Record<string, string[]>) =>
  Object.fromEntries(Object.entries(parameters).map(([name, values]) => [name, values.length === 1 ? values[0] : values]));

/** The value as the schema has it, or a rejection with all faults and their paths. */
function valid(schema: z.ZodType, given: unknown, root: string): unknown {
  const result = check(schema, given, root);
  if (result.ok) return result.value;
  throw new Rejection("invalid", result.faults[0] ?? `${root} is invalid`, result.faults);
}

/** Most requests for quotes are smaller. */
const aheadBytes = 16 * 1024;

/**
 * Parses and validates a small body that has arrived whole while the database looks the key up, which takes longer. Only for a key whose last
 * request was admitted, so that nobody else makes the service work. What is wrong with the body is said once the key is known to be valid.
 */
async function bodyAhead(route: Route, request: Request, incoming: IncomingMessage | undefined) {
  const { body } = route.request;
  if (body === undefined) return undefined;
  const length = Number(request.headers.get("content-length") ?? Number.NaN);
  if (!(length <= Math.min(aheadBytes, route.maxBodyBytes ?? aheadBytes))) return undefined;
  await new Promise(setImmediate); // behind the look-up, which is sent at the end of this turn
  if (!incoming?.complete) return undefined;
  try {
    requireJson(request.headers);
    const value = valid(body, parseJson(new Uint8Array(await request.arrayBuffer())), "body");
    return () => value;
  } catch (error) {
    return (): unknown => {
      throw error;
    };
  }
}
