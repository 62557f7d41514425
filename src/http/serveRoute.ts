import type { IncomingMessage } from "node:http";
import { zValidator } from "@hono/zod-validator";
import type { Context, Handler, MiddlewareHandler } from "hono";
import type { z } from "zod";
import type { Authenticate } from "./auth/authenticate.js";
import type { WithinUploads } from "./boundUploads.js";
import { requireJson } from "./contentType.js";
import type { ApiDeps } from "./deps.js";
import { inTime, readPatienceMs } from "./inTime.js";
import { parseJson } from "./parseJson.js";
import { maxJsonBytes, type WithBody } from "./readBody.js";
import type { AppEnv } from "./requestFrame.js";
import type { Answer, Caller, Route } from "./route.js";
import type { OpenShare } from "./shares.js";
import { validate } from "./validate.js";

/** What the routes of one app share. */
export interface Shell {
  readonly authenticate: Authenticate;
  readonly withBody: WithBody;
  readonly withinUploads: WithinUploads;
  /** For files that are made of JSON bodies. */
  readonly openDiskShare: OpenShare;
}

/** One way through for every route: who asks, whether the request is sound, then the handler. */
export function serveRoute(route: Route, deps: ApiDeps, shell: Shell): readonly Handler<AppEnv>[] {
  const { query, headers } = route.request;
  return [
    admit(route, shell.authenticate),
    ...(query ? [sound("query", query, "query")] : []),
    ...(headers ? [sound("header", headers, "headers")] : []),
    run(route, deps, shell),
  ];
}

function admit(route: Route, authenticate: Authenticate): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    c.set("route", route.path);
    const asked = performance.now();
    const { caller, headers } = await authenticate(c.req.header("x-api-key"));
    c.set("answerHeaders", { ...c.get("answerHeaders"), ...headers });
    c.set("caller", { ...caller, requestId: c.get("requestId"), admissionMs: performance.now() - asked });
    await next();
  };
}

/** One part of a request against its schema. A parameter given twice arrives as a list, which its schema refuses. */
function sound(target: "query" | "header", schema: z.ZodObject, root: string): MiddlewareHandler<AppEnv> {
  const validationFunction = (_: z.ZodObject, value: unknown) => ({ success: true as const, data: validate(schema, value, root) });
  return zValidator(target, schema, undefined, { validationFunction }) as MiddlewareHandler<AppEnv>;
}

function run(route: Route, deps: ApiDeps, shell: Shell): Handler<AppEnv> {
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
      const answer = route.handler({ ...parts, body: undefined } as never, deps);
      return send(c, await inTime(answer, readPatienceMs - caller.admissionMs, route.operationId));
    }
    const asked = performance.now();
    await route.beforeBody?.(parts as never, deps);
    const admitted = { ...parts, caller: { ...caller, admissionMs: caller.admissionMs + performance.now() - asked } };
    const disk = shell.openDiskShare(caller.organisationId);
    try {
      const handle = (body: unknown) => route.handler({ ...admitted, body, holdOnDisk: disk.hold } as never, deps);
      return send(c, await withRequestBody(route, c.req.raw, admitted, shell, handle));
    } finally {
      disk.release();
    }
  };
}

function withRequestBody(
  route: Route,
  request: Request,
  { caller: { organisationId }, incoming }: { caller: Caller; incoming: IncomingMessage | undefined },
  { withBody, withinUploads }: Shell,
  handle: (body: unknown) => Promise<Answer>,
): Promise<Answer> {
  const { body, multipart } = route.request;
  if (multipart) return withinUploads(organisationId, () => handle(undefined));
  if (body === undefined) return handle(undefined);
  requireJson(request.headers);
  const bounds = {
    limit: route.maxBodyBytes ?? maxJsonBytes,
    organisationId,
    bytesRead: incoming && (() => incoming.socket.bytesRead),
  };
  return withBody(request, bounds, (bytes) => handle(validate(body, parseJson(bytes), "body")));
}

export function send(c: Context<AppEnv>, answer: Answer): Response {
  const headers = { ...c.get("answerHeaders"), "content-type": "application/json", ...answer.headers };
  const text = "json" in answer ? answer.json : JSON.stringify(answer.body);
  return new Response(text, { status: answer.status, headers });
}
