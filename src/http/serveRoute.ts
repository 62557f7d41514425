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
import type { Answer, Route } from "./route.js";
import { validate } from "./validate.js";

/** What the routes of one app share. */
export interface Shell {
  readonly authenticate: Authenticate;
  readonly withBody: WithBody;
  readonly withinUploads: WithinUploads;
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

function run(route: Route, deps: ApiDeps, { withBody, withinUploads }: Shell): Handler<AppEnv> {
  const { params, multipart } = route.request;
  return async (c) => {
    const valid = (target: "query" | "header") => c.req.valid(target as never) as unknown;
    const parts = {
      params: params && validate(params, c.req.param(), "path"),
      query: valid("query"),
      headers: valid("header"),
      caller: c.get("caller"),
      incoming: c.env?.incoming,
    };
    const handle = (body: unknown) => {
      const answer = route.handler({ ...parts, body } as never, deps);
      return route.method === "GET" ? inTime(answer, readPatienceMs - (parts.caller?.admissionMs ?? 0), route.operationId) : answer;
    };
    if (multipart) return send(c, await withinUploads(parts.caller?.organisationId ?? "", () => handle(undefined)));
    const socket = parts.incoming?.socket;
    const bounds = {
      limit: route.maxBodyBytes ?? maxJsonBytes,
      organisationId: parts.caller?.organisationId ?? "",
      bytesRead: socket && (() => socket.bytesRead),
    };
    return send(c, await withParsedBody(route, c.req.raw, (use) => withBody(c.req.raw, bounds, use), handle));
  };
}

async function withParsedBody(
  route: Route,
  request: Request,
  withBytes: (use: (bytes: Uint8Array) => Promise<Answer>) => Promise<Answer>,
  run: (body: unknown) => Promise<Answer>,
): Promise<Answer> {
  const { body } = route.request;
  if (body === undefined) return run(undefined);
  requireJson(request.headers);
  return withBytes((bytes) => run(validate(body, parseJson(bytes), "body")));
}

export function send(c: Context<AppEnv>, answer: Answer): Response {
  const headers = { ...c.get("answerHeaders"), "content-type": "application/json", ...answer.headers };
  const text = "json" in answer ? answer.json : JSON.stringify(answer.body);
  return new Response(text, { status: answer.status, headers });
}
