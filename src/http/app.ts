import { type Context, Hono } from "hono";
import { limits } from "../domain/imports/limits.js";
import { Rejection } from "../domain/rejection.js";
import { trimTrailing } from "../domain/trimTrailing.js";
import { createSlots } from "../slots.js";
import { createAuthenticate } from "./api/auth/authenticate.js";
import type { ApiDeps } from "./api/deps.js";
import { docsPages } from "./api/pages/docs.js";
import { filePages } from "./api/pages/files.js";
import { healthPages } from "./api/pages/health.js";
import type { ApiEnv, Route } from "./api/route.js";
import { routes as allRoutes } from "./api/routes/list.js";
import { serveRoute } from "./api/serveRoute.js";
import type { PortalOptions } from "./portal/pageDefinition.js";
import { createPortal } from "./portal/portal.js";
import { answerError } from "./server/answerError.js";
import { Problem } from "./server/problem.js";
import { type BodyReaderOptions, createBodyReader } from "./server/readBody.js";
import { rejectBadAddresses, requestMiddleware, sendAnswer } from "./server/requestMiddleware.js";
import type { OpenServer, RunningServer } from "./server/startServer.js";

/** `portal` is absent where a test needs the API alone. `closing` aborts when the server begins to stop, `stopped` when it has stopped. */
export type AppDeps = ApiDeps & { readonly portal?: PortalOptions; readonly closing?: AbortSignal };

/** Builds the app of the API, the pages that need no key, and the portal. */
export function createApp(deps: AppDeps, routes: readonly Route[] = allRoutes, bodyLimits: BodyReaderOptions = {}): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const services = {
    authenticate: createAuthenticate(deps.lookUpPool, deps.limits.rateLimitPerMinute),
    withBody: createBodyReader(bodyLimits),
    // Each upload holds a connection and disk space, for minutes if its sender is slow.
    uploads: createSlots({ maxHeld: 200, maxPerOwner: 60, refusal: "Too many uploads at the moment, try again shortly" }),
    diskSpace: createSlots({
      maxHeld: 10 * limits.pushFileBytes,
      maxPerOwner: 2 * limits.pushFileBytes,
      refusal: "Too many large pushes at the moment, try again shortly",
    }),
  };
  const pages = [...healthPages(deps), ...docsPages(deps, routes), ...filePages(deps)];
  const portal = deps.portal && createPortal(deps.portal, { ...services, closing: deps.closing, stopped: deps.stopped });

  app.use(requestMiddleware(deps));
  app.use(rejectBadAddresses());
  for (const route of routes) app.on(route.method, [honoPath(route.path)], ...serveRoute(route, deps, services));
  for (const page of pages) {
    app.get(page.path, (c) => {
      c.set("route", page.path);
      for (const [name, value] of Object.entries(c.get("answerHeaders"))) c.header(name, value);
      return page.handler(c);
    });
  }
  for (const { method, path, handler } of portal?.routes ?? []) {
    app.on(method, [honoPath(path)], (c) => {
      c.set("route", path);
      return handler(c as never);
    });
  }
  if (portal) app.get("/", (c, next) => (wantsPages(c.req.header()) ? portal.redirectTo(c, "/portal") : next()));
  refuseOtherMethods(app, [
    ...routes.map(({ method, path }) => ({ method, path: honoPath(path) })),
    ...pages.map(({ path }) => ({ method: "GET", path })),
    ...(portal?.routes ?? []).map(({ method, path }) => ({ method, path: honoPath(path) })),
  ]);

  // Errors are pages under /portal and JSON everywhere else.
  const answerFailure = (c: Context<ApiEnv>, error: unknown) =>
    portal && isPortal(c.req.path)
      ? portal.answerError(c, error)
      : sendAnswer(c, answerError(error, deps.logger, { requestId: c.get("requestId"), method: c.req.method, route: c.get("route") }));
  app.notFound((c) => {
    const { pathname, search } = new URL(c.req.url);
    if (portal && c.req.method === "GET" && isPortal(pathname) && pathname.endsWith("/"))
      return portal.redirectTo(c, trimTrailing(pathname, "/") + search);
    return answerFailure(c, new Rejection("notFound", `There is nothing at ${c.req.path.slice(0, 200)}`));
  });
  app.onError((error, c) => answerFailure(c, error));
  return app;
}

export interface ServedApi {
  readonly deps: AppDeps;
  /** All routes by default; tests bring their own. */
  readonly routes?: readonly Route[];
  readonly bodyLimits?: BodyReaderOptions;
}

/** Serves the app on a server that already listens. Stopping the returned server also ends open pages and background work. */
export function serveApi(server: OpenServer, { deps, routes, bodyLimits }: ServedApi): RunningServer {
  const closing = new AbortController();
  const stopped = new AbortController();
  server.serve(createApp({ ...deps, closing: closing.signal, stopped: stopped.signal }, routes, bodyLimits));
  const stop = () => {
    closing.abort();
    return server.stop().finally(() => stopped.abort());
  };
  return { ...server, stop };
}

const isPortal = (path: string) => path === "/portal" || path.startsWith("/portal/");

/** Whether the caller is a browser: a program sends an API key or does not accept HTML. */
const wantsPages = ({ accept = "*/*", "x-api-key": key }: Record<string, string>) => key === undefined && /text\/html|\*\/\*/.test(accept);

const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");

function refuseOtherMethods(app: Hono<ApiEnv>, endpoints: readonly { method: string; path: string }[]): void {
  const methodsByPath = new Map<string, Set<string>>();
  for (const { method, path } of endpoints) methodsByPath.set(path, (methodsByPath.get(path) ?? new Set()).add(method));
  for (const [path, methods] of methodsByPath) {
    if (methods.has("GET")) methods.add("HEAD");
    const allow = [...methods].sort().join(", ");
    app.all(path, (c) => {
      c.set("route", path);
      throw new Problem("methodNotAllowed", `${c.req.method} is not possible here, use ${allow}`, { headers: { allow } });
    });
  }
}
