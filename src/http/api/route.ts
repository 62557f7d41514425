// src/http/api is the contract: it turns requests into commands and queries, and their results into answers. A route is one object in
// routes/ with zod schemas, which validate requests and generate the OpenAPI document. No SQL and no rules here.
import type { IncomingMessage } from "node:http";
import type { Context } from "hono";
import type { z } from "zod";
import type { NeededScope } from "../../domain/keyScopes.js";
import type { Principal } from "../../domain/principal.js";
import type { Answer, AppEnv } from "../server/aroundRequest.js";
import type { RecheckAccess } from "../server/readBody.js";
import type { ApiDeps } from "./deps.js";

export interface Caller {
  readonly organisationId: string;
  readonly by: Principal;
  /** The beginning of the API key, for the log. The whole key is never logged. */
  readonly keyPrefix: string;
  readonly catalogueVersion: number;
  /** By the database's clock. Ask it when something is decided: a body may arrive long after its key was looked up. */
  now(): Date;
  readonly requestId: string;
  /** How long admission has taken so far: key, `beforeBody` and `recheckAccess`. Counts towards the time for the answer. */
  admissionMs: number;
}

/** Returns the validated body, or throws what is wrong with it. */
export type BodyAhead = () => unknown;

export interface ApiEnv extends AppEnv {
  Variables: AppEnv["Variables"] & {
    caller?: Caller;
    recheckAccess?: RecheckAccess;
    /** Set where the body is read before the key is known to be valid. */
    bodyAhead?: Promise<BodyAhead | undefined>;
  };
}

export interface RequestSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** A JSON body: read with limits, parsed and validated before the handler runs. */
  readonly body?: z.ZodType;
  /** A form with a file. It is described here; the handler reads it from `incoming` as a stream. */
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
  /** For a handler that reads the body itself. */
  readonly recheckAccess: RecheckAccess;
  /** Reserves room on the disk, out of the organisation's share, until the answer. Throws 503 when the share is used up. */
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
  /** What a key needs to call it: a GET accepts `read`, a POST needs the scope of its subject. */
  readonly scope: NeededScope;
  readonly request: S;
  /** 400, 401, 403, 429, 500 and 503 are added where the route does not describe them. */
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

/** What the routes have in common that read something beyond the published contract. */
export const readBeyondContract = { method: "GET", scope: "read", extension: true } as const;

/** A page that is not in the contract and needs no key. */
export interface OpenPage {
  readonly path: string;
  readonly handler: (c: Context<AppEnv>) => Response | Promise<Response>;
}
