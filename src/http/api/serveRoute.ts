import { zValidator } from "@hono/zod-validator";
import type { Handler, MiddlewareHandler } from "hono";
import type { z } from "zod";
import type { Places } from "../../places.js";
import { type Answer, send } from "../server/answer.js";
import { requireJson } from "../server/contentType.js";
import { readInTime, readPatienceMs } from "../server/inTime.js";
import { parseJson } from "../server/parseJson.js";
import { maxJsonBytes, type WithBody } from "../server/readBody.js";
import type { OpenShare } from "../server/shares.js";
import type { Authenticate } from "./auth/authenticate.js";
import type { ApiDeps } from "./deps.js";
import type { ApiEnv, Caller, Route, RouteRequest } from "./route.js";
import { validate } from "./validate.js";

/** Shared by all routes of an app. */
export interface RouteFrame {
  readonly authenticate: Authenticate;
  readonly withBody: WithBody;
  readonly uploads: Places;
  /** Limits the files that are made of JSON bodies. */
  readonly openDiskShare: OpenShare;
}

/** Serves every route: authenticates, validates the request, then calls the handler. */
export function serveRoute(route: Route, deps: ApiDeps, frame: RouteFrame): readonly Handler<ApiEnv>[] {
  const { query, headers } = route.request;
  return [
    admit(route, frame.authenticate),
    ...(query ? [sound("query", query, "query")] : []),
    ...(headers ? [sound("header", headers, "headers")] : []),
    run(route, deps, frame),
  ];
}

function admit(route: Route, authenticate: Authenticate): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    c.set("route", route.path);
    const asked = performance.now();
    const { caller, headers, stillAllowed } = await authenticate(c.req.header("x-api-key"));
    c.set("answerHeaders", { ...c.get("answerHeaders"), ...headers });
    c.set("loggedAs", { organisationId: caller.organisationId, keyPrefix: caller.keyPrefix });
    c.set("caller", { ...caller, requestId: c.get("requestId"), admissionMs: performance.now() - asked });
    c.set("stillAllowed", stillAllowed);
    await next();
  };
}

/** Validates one part of a request. A parameter that is given twice is a list, which its schema rejects. */
function sound(target: "query" | "header", schema: z.ZodObject, root: string): MiddlewareHandler<ApiEnv> {
  const validationFunction = (_: z.ZodObject, value: unknown) => ({ success: true as const, data: validate(schema, value, root) });
  return zValidator(target, schema, undefined, { validationFunction }) as MiddlewareHandler<ApiEnv>;
}

function run(route: Route, deps: ApiDeps, frame: RouteFrame): Handler<ApiEnv> {
  const { params } = route.request;
  return async (c) => {
    const valid = (target: "query" | "header") => c.req.valid(target as never) as unknown;
    const caller = c.get("caller") as Caller;
    const parts = {
      params: params && validate(params, c.req.param(), "path"),
      query: valid("query"),
      headers: valid("header"),
      caller,
      incoming: c.env?.incoming,
    };
    if (route.method === "GET") {
      const request = {
        ...{ organisationId: caller.organisationId, left: c.req.raw.signal },
        ...{ ms: readPatienceMs - caller.admissionMs, what: route.operationId },
      };
      return send(c, await readInTime(deps, request, (own) => route.handler({ ...parts, body: undefined } as never, own)));
    }
    const admitting = async (step: Promise<void> | undefined) => {
      const asked = performance.now();
      await step;
      caller.admissionMs += performance.now() - asked;
    };
    await admitting(route.beforeBody?.(parts as never, deps));
    const stillAllowed = () => admitting(c.get("stillAllowed")?.());
    const admitted = { ...parts, stillAllowed };
    const disk = frame.openDiskShare(caller.organisationId);
    try {
      const handle = (body: unknown) => route.handler({ ...admitted, body, holdOnDisk: disk.hold } as never, deps);
      return send(c, await withRequestBody(route, c.req.raw, admitted, frame, handle));
    } finally {
      disk.release();
    }
  };
}

function withRequestBody(
  route: Route,
  request: Request,
  { caller: { organisationId }, incoming, stillAllowed }: Pick<RouteRequest, "caller" | "incoming" | "stillAllowed">,
  { withBody, uploads }: RouteFrame,
  handle: (body: unknown) => Promise<Answer>,
): Promise<Answer> {
  const { body, multipart } = route.request;
  if (multipart) return uploads.within(organisationId, () => handle(undefined));
  if (body === undefined) return handle(undefined);
  requireJson(request.headers);
  const bounds = {
    limit: route.maxBodyBytes ?? maxJsonBytes,
    organisationId,
    stillAllowed,
    bytesRead: incoming && (() => incoming.socket.bytesRead),
  };
  return withBody(request, bounds, (bytes) => handle(validate(body, parseJson(bytes), "body")));
}
