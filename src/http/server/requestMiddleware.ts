// src/http/server handles what all requests of the API and the portal have in common: the socket, limits, ids, logging, error answers. This
// file has what runs around every request, and sends JSON answers.
import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import type { Logger } from "pino";
import { Rejection } from "../../domain/rejection.js";
import { compressText } from "./compress.js";

export interface HttpMetrics {
  recordRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
  recordSignIn(labels: { way: string; outcome: string }): void;
  /** The text for Prometheus and its content type. */
  render(): Promise<{ contentType: string; text: string }>;
}

export interface AppEnv {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    answerHeaders: Readonly<Record<string, string>>;
    /** When this process received its latest request (this one or a later one), on performance.now()'s clock. */
    latestRequestAt: () => number;
    route?: string;
    logFields?: Readonly<Record<string, string>>;
  };
}

/** The id is logged and recorded, so a text with the beginning of an API key is not accepted. */
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
 * Gives every request its id, security headers, a log line and a measurement. Request headers are never logged. The answer's headers are
 * collected in a plain object, since a Headers object costs more than the rest of a small answer.
 */
export function requestMiddleware(deps: { logger: Logger; metrics: Pick<HttpMetrics, "recordRequest"> }): MiddlewareHandler<AppEnv> {
  const { logger, metrics } = deps;
  let latest = 0;
  const latestRequestAt = () => latest;
  return async (c, next) => {
    const startedAt = performance.now();
    latest = startedAt;
    c.set("latestRequestAt", latestRequestAt);
    const sentId = c.req.header("x-request-id");
    const requestId = sentId !== undefined && acceptableRequestId.test(sentId) ? sentId : randomUUID();
    c.set("requestId", requestId);
    c.set("answerHeaders", { "x-request-id": requestId, ...securityHeaders });
    await next();
    const seconds = (performance.now() - startedAt) / 1000;
    const route = c.get("route") ?? "unmatched";
    const status = c.res.status;
    metrics.recordRequest({ method: c.req.method, route, status }, seconds);
    const logLine = { requestId, method: c.req.method, route, status, ms: Math.round(seconds * 10_000) / 10, ...c.get("logFields") };
    if (route.startsWith("/v1")) logger.info(logLine, "request");
    else logger.debug(logLine, "request");
  };
}

/** Rejects an invalid Host header, a path that cannot be decoded, and a NUL character in the path or query, which no store accepts. */
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

export function sendAnswer(c: Context<AppEnv>, answer: Answer): Response {
  const { body, headers: encodingHeaders } = compressText(c, "json" in answer ? answer.json : JSON.stringify(answer.body));
  const headers = { ...c.get("answerHeaders"), "content-type": "application/json", ...encodingHeaders, ...answer.headers };
  return new Response(body, { status: answer.status, headers });
}
