// src/http/api is the API: it turns requests into commands and queries, and their results into answers. No SQL and no rules here. This file
// has the types of a route. A route is an object in routes/, whose zod schemas validate requests and generate the OpenAPI document.
import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import type { z } from "zod";
import type { NeededScope } from "../../domain/keyScopes.js";
import type { Principal } from "../../domain/principal.js";
import type { RecheckAccess } from "../server/readBody.js";
import type { Answer, AppEnv } from "../server/requestMiddleware.js";
import type { ApiDeps } from "./deps.js";

export interface Caller {
  readonly organisationId: string;
  readonly by: Principal;
  /** The beginning of the API key, for the log. The whole key is never logged. */
  readonly keyPrefix: string;
  readonly catalogueVersion: number;
  /** The time on the database's clock. Handlers call it when they decide, since a body may arrive long after its key was looked up. */
  now(): Date;
  readonly requestId: string;
  /** How long the key's look-up, `beforeBody` and `recheckAccess` have taken so far. The answer's time limit includes this time. */
  admissionMs: number;
}

/** The outcome of reading a body before its key was known to be valid: returns the validated body, or throws what is wrong with it. */
export type EarlyBody = () => unknown;

export interface ApiEnv extends AppEnv {
  Variables: AppEnv["Variables"] & {
    caller?: Caller;
    recheckAccess?: RecheckAccess;
    /** Set if the body may be read while the database looks up the key. Resolves with undefined if the body was not read. */
    earlyBody?: Promise<EarlyBody | undefined>;
  };
}

export interface RequestSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** A JSON body: read with limits, parsed and validated before the handler runs. */
  readonly body?: z.ZodType;
  /** A form with a file. The schema only describes it; the handler reads the form from `incoming` as a stream. */
  readonly multipart?: z.ZodObject;
}

type Parsed<S, K extends string> = S extends { readonly [key in K]: infer T extends z.ZodType } ? z.output<T> : undefined;

export interface RouteRequest<S extends RequestSchemas = RequestSchemas> {
  readonly params: Parsed<S, "params">;
  readonly query: Parsed<S, "query">;
  readonly headers: Parsed<S, "headers">;
  readonly body: Parsed<S, "body">;
  readonly caller: Caller;
  /** The Node request; absent only when a test calls the app without a socket. */
  readonly incoming: IncomingMessage | undefined;
  /** A handler that reads the body itself calls this after the body. */
  readonly recheckAccess: RecheckAccess;
  /** Reserves this much disk space in all until the answer. Throws TooBusy (a 503) if the organisation's share does not have it. */
  readonly reserveDisk: (bytes: number) => void;
}

export interface ResponseDescription {
  readonly description: string;
  readonly schema?: z.ZodType;
}

export interface RouteDefinition<S extends RequestSchemas> {
  readonly method: "GET" | "POST";
  /** As in OpenAPI, such as `/v1/org/quote/getQuote/{quoteId}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** True for a route that is not in the published contract. */
  readonly extension?: boolean;
  /** The scope that a key needs. Every GET accepts `read`; a POST needs the scope of its subject. */
  readonly scope: NeededScope;
  readonly request: S;
  /** By status: the success, and errors with a particular meaning here. The OpenAPI document adds the errors that all routes have. */
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** The largest JSON body in bytes, if it is less than the default. */
  readonly maxBodyBytes?: number;
  /** Runs before the body is awaited, and may reject the request. */
  beforeBody?(request: Pick<RouteRequest<NoInfer<S>>, "headers" | "caller">, deps: ApiDeps): Promise<void>;
  readonly handler: (request: RouteRequest<S>, deps: ApiDeps) => Promise<Answer>;
}

export type Route = Omit<RouteDefinition<RequestSchemas>, "handler" | "beforeBody"> & {
  beforeBody?(request: Pick<RouteRequest<never>, "headers" | "caller">, deps: ApiDeps): Promise<void>;
  readonly handler: (request: RouteRequest<never>, deps: ApiDeps) => Promise<Answer>;
};

/** Infers the handler's types from the schemas. */
export function defineRoute<const S extends RequestSchemas>(route: RouteDefinition<S>): Route {
  return route as unknown as Route;
}

/** The fields that all GET routes outside the published contract have in common. */
export const extensionGet = { method: "GET", scope: "read", extension: true } as const;

/** A page that is not in the contract and needs no key. */
export interface PublicPage {
  readonly path: string;
  readonly handler: (c: Context<AppEnv>) => Response | Promise<Response>;
}
