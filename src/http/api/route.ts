// src/http/api is the contract: it turns requests into commands and queries, and what comes back into answers. A route is one file under
// routes/ that describes itself with zod schemas: the same schemas validate requests and generate the OpenAPI document. No SQL, no rules here.
import type { IncomingMessage } from "node:http";
import type { z } from "zod";
import type { Principal } from "../../domain/principal.js";
import type { Answer } from "../server/answer.js";
import type { AppEnv } from "../server/requestFrame.js";
import type { ApiDeps } from "./deps.js";

/** Who is asking, and the one clock reading that this request uses throughout. */
export interface Caller {
  readonly organisationId: string;
  readonly by: Principal;
  /** The beginning of the API key, for the log: the key itself is known to nobody but its owner. */
  readonly keyPrefix: string;
  readonly catalogueVersion: number;
  readonly now: Date;
  readonly requestId: string;
  /** What of the caller's patience is used up already: how long it took to find out who asks. */
  readonly admissionMs: number;
}

export interface ApiEnv extends AppEnv {
  Variables: AppEnv["Variables"] & { caller?: Caller };
}

export interface RequestSchemas {
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** A JSON body: read within bounds, parsed and validated before the handler runs. */
  readonly body?: z.ZodType;
  /** A form with a file: described here, but read by the handler itself from `incoming`, as a stream. */
  readonly multipart?: z.ZodObject;
}

type Parsed<S, K extends string> = S extends { readonly [key in K]: infer T extends z.ZodType } ? z.output<T> : undefined;

export interface RouteRequest<S extends RequestSchemas = RequestSchemas> {
  readonly params: Parsed<S, "params">;
  readonly query: Parsed<S, "query">;
  readonly headers: Parsed<S, "headers">;
  readonly body: Parsed<S, "body">;
  readonly caller: Caller;
  /** The raw Node request; absent only where a test calls the app without a socket. */
  readonly incoming: IncomingMessage | undefined;
  /** Counts a file that is made of the body against what the organisation may have on the disk, until the answer; 503 where it is too much. */
  readonly holdOnDisk: (bytes: number) => void;
}

export interface ResponseDescription {
  readonly description: string;
  readonly schema?: z.ZodType;
}

export interface RouteDefinition<S extends RequestSchemas> {
  readonly method: "GET" | "POST";
  /** As in OpenAPI: `/v1/org/quote/getQuote/{quoteId}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** True for what goes beyond the published contract. */
  readonly extension?: boolean;
  readonly request: S;
  /** 400, 401, 429, 500 and 503 are added to every route that says nothing of its own about them. */
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  /** Bound of a JSON body in bytes, where the default is more than this route can need. */
  readonly maxBodyBytes?: number;
  /** Whatever can refuse the request before its body is read. */
  beforeBody?(request: Pick<RouteRequest<NoInfer<S>>, "headers" | "caller">, deps: ApiDeps): Promise<void>;
  readonly handler: (request: RouteRequest<S>, deps: ApiDeps) => Promise<Answer>;
}

export type Route = Omit<RouteDefinition<RequestSchemas>, "handler" | "beforeBody"> & {
  beforeBody?(request: Pick<RouteRequest<never>, "headers" | "caller">, deps: ApiDeps): Promise<void>;
  readonly handler: (request: RouteRequest<never>, deps: ApiDeps) => Promise<Answer>;
};

/** Lets the handler's types follow from the schemas. */
export function defineRoute<const S extends RequestSchemas>(route: RouteDefinition<S>): Route {
  return route as unknown as Route;
}
