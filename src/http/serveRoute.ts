import type { Context, Handler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { z } from "zod";
import type { Authenticate } from "./auth/authenticate.js";
import { requireJson } from "./contentType.js";
import type { ApiDeps } from "./deps.js";
import { parseJson } from "./parseJson.js";
import { maxJsonBytes, type WithBody } from "./readBody.js";
import type { AppEnv } from "./requestFrame.js";
import type { Answer, Route } from "./route.js";
import { validate } from "./validate.js";

/** What the routes of one app share. */
export interface Shell {
  readonly authenticate: Authenticate;
  readonly withBody: WithBody;
}

/** One way through for every route: who asks, whether the request is sound, then the handler. */
export function serveRoute(route: Route, deps: ApiDeps, { authenticate, withBody }: Shell): Handler<AppEnv> {
  return async (c) => {
    c.set("route", route.path);
    const { caller: admitted, headers } = await authenticate(c.req.header("x-api-key"));
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    const caller = { ...admitted, requestId: c.get("requestId") };
    c.set("caller", caller);
    const { params, query, headers: given } = route.request;
    const parts = {
      params: optionally(params, () => c.req.param(), "path"),
      query: optionally(query, () => singleValues(c.req.queries()), "query"),
      headers: optionally(given, () => c.req.header(), "headers"),
      caller,
      incoming: c.env?.incoming,
      signal: c.req.raw.signal,
    };
    const run = (body: unknown) => route.handler({ ...parts, body } as never, deps);
    return send(c, await withParsedBody(route, c.req.raw, withBody, run));
  };
}

async function withParsedBody(
  route: Route,
  request: Request,
  withBody: WithBody,
  run: (body: unknown) => Promise<Answer>,
): Promise<Answer> {
  const { body } = route.request;
  if (body === undefined) return run(undefined);
  requireJson(request.headers);
  return withBody(request, route.maxBodyBytes ?? maxJsonBytes, (bytes) => run(validate(body, parseJson(bytes), "body")));
}

function optionally(schema: z.ZodObject | undefined, value: () => unknown, root: string): unknown {
  return schema === undefined ? undefined : validate(schema, value(), root);
}

/** A parameter given twice stays a list, so that its schema refuses it instead of one of the two being picked. */
function singleValues(queries: Record<string, string[]>): Record<string, string | string[]> {
  return Object.fromEntries(Object.entries(queries).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]));
}

export function send(c: Context<AppEnv>, answer: Answer): Response {
  return c.json(answer.body, answer.status as ContentfulStatusCode, answer.headers === undefined ? {} : { ...answer.headers });
}
