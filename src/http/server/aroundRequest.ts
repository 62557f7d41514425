// src/http/server handles what is common to all requests, of the API and the portal: the socket, limits, request ids, logging, error answers.
import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { Rejection } from "../../domain/rejection.js";
import { compressedText } from "./compress.js";

export interface HttpMetrics {
  requestEnded(labels: { method: string; route: string; status: number }, seconds: number): void;
  signInEnded(labels: { way: string; outcome: string }): void;
  /** The text for Prometheus and its content type. */
  render(): Promise<{ contentType: string; text: string }>;
}

export interface AppEnv {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    answerHeaders: Readonly<Record<string, string>>;
    /** When the latest request came to this process, by `performance.now()`: this one, or a later one. */
    latestRequestAt: () => number;
    route?: string;
    loggedAs?: Readonly<Record<string, string>>;
  };
}

/** The id is logged and recorded, so text that looks like an API key is not accepted. */
const acceptableRequestId = /^(?!.*wb_live_)[A-Za-z0-9._:-]{1,128}$/;

const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/**
 * For every request: its id, the security headers, one log line and one measurement. Request headers are never logged. The answer's headers
 * are collected in a plain object, since a Headers object costs more than the rest of a small answer.
 */
export function aroundRequest(deps: { logger: Logger; metrics: Pick<HttpMetrics, "requestEnded"> }): MiddlewareHandler<AppEnv> {
  const { logger, metrics } = deps;
  let latest = 0;
  const latestRequestAt = () => latest;
  return async (c, next) => {
    const started = performance.now();
    latest = started;
    c.set("latestRequestAt", latestRequestAt);
    const given = c.req.header("x-request-id");
    const requestId = given !== undefined && acceptableRequestId.test(given) ? given : randomUUID();
    c.set("requestId", requestId);
    c.set("answerHeaders", { "x-request-id": requestId, ...securityHeaders });
    await next();
    const seconds = (performance.now() - started) / 1000;
    const route = c.get("route") ?? "unmatched";
    const status = c.res.status;
    metrics.requestEnded({ method: c.req.method, route, status }, seconds);
    const line = { requestId, method: c.req.method, route, status, ms: Math.round(seconds * 10_000) / 10, ...c.get("loggedAs") };
    if (route.startsWith("/v1")) logger.info(line, "request");
    else logger.debug(line, "request");
  };
}

/** Rejects, for all routes, a Host that is no host, a NUL in the path or query, which no store accepts, and a path that cannot be decoded. */
export const rejectBadAddresses = (): MiddlewareHandler<AppEnv> => (c, next) => {
  const { url } = c.req;
  const pathAt = url.indexOf("/", url.indexOf("//") + 2);
  const origin = pathAt === -1 ? url : url.slice(0, pathAt);
  if (!URL.canParse(origin)) throw new Rejection("invalid", "The Host header is not the name of a host");
  if (!url.includes("%", origin.length)) return next();
  const { pathname, search } = new URL(url);
  if (/%00/.test(pathname) || /%00/.test(search)) throw new Rejection("invalid", "The address must not contain a NUL character");
  try {
    decodeURIComponent(pathname);
  } catch {
    throw new Rejection("invalid", "The path is not correctly percent-encoded");
  }
  return next();
};

/** `json`: the body is JSON text already. */
export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
} & ({ readonly body: unknown } | { readonly json: string });

export function send(c: Context<AppEnv>, answer: Answer): Response {
  const { body, headers: packing } = compressedText(c, "json" in answer ? answer.json : JSON.stringify(answer.body));
  const headers = { ...c.get("answerHeaders"), "content-type": "application/json", ...packing, ...answer.headers };
  return new Response(body, { status: answer.status, headers });
}
