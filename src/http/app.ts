import { Hono } from "hono";
import { limits } from "../domain/imports/limits.js";
import { Rejection } from "../domain/rejection.js";
import { createAuthenticate } from "./api/auth/authenticate.js";
import type { ApiDeps } from "./api/deps.js";
import { pages as builtInPages } from "./api/pages/list.js";
import type { ApiEnv, Route } from "./api/route.js";
import { routes as allRoutes } from "./api/routes/list.js";
import { serveRoute } from "./api/serveRoute.js";
import { send } from "./server/answer.js";
import { answerError } from "./server/answerError.js";
import { boundUploads } from "./server/boundUploads.js";
import { Problem } from "./server/problem.js";
import { type BodyReaderOptions, createBodyReader } from "./server/readBody.js";
import { requestFrame, soundPath } from "./server/requestFrame.js";
import { createShares } from "./server/shares.js";

/** The whole API as one function from request to answer; startApi puts it on a socket. */
export function createApp(deps: ApiDeps, routes: readonly Route[] = allRoutes, bodies: BodyReaderOptions = {}): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const shell = {
    authenticate: createAuthenticate(deps.pool, deps.limits.rateLimitPerMinute),
    withBody: createBodyReader(bodies),
    withinUploads: boundUploads(),
    openDiskShare: createShares(
      { inAll: 10 * limits.pushFileBytes, perOrganisation: 2 * limits.pushFileBytes },
      "Too many large pushes at the moment, try again shortly",
    ),
  };
  const pages = builtInPages(deps, routes);

  app.use(requestFrame(deps));
  app.use(soundPath());
  for (const route of routes) app.on(route.method, [honoPath(route.path)], ...serveRoute(route, deps, shell));
  for (const page of pages) {
    app.get(page.path, (c) => {
      c.set("route", page.path);
      for (const [name, value] of Object.entries(c.get("answerHeaders"))) c.header(name, value);
      return page.handler(c);
    });
  }
  refuseOtherMethods(app, [
    ...routes.map(({ method, path }) => ({ method, path: honoPath(path) })),
    ...pages.map(({ path }) => ({ method: "GET", path })),
  ]);

  app.notFound((c) => send(c, answerError(new Rejection("notFound", `There is nothing at ${c.req.path.slice(0, 200)}`), deps.logger, {})));
  app.onError((error, c) =>
    send(c, answerError(error, deps.logger, { requestId: c.get("requestId"), method: c.req.method, route: c.get("route") })),
  );
  return app;
}

const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ":$1");

function refuseOtherMethods(app: Hono<ApiEnv>, known: readonly { method: string; path: string }[]): void {
  const methodsByPath = new Map<string, Set<string>>();
  for (const { method, path } of known) methodsByPath.set(path, (methodsByPath.get(path) ?? new Set()).add(method));
  for (const [path, methods] of methodsByPath) {
    if (methods.has("GET")) methods.add("HEAD");
    const allow = [...methods].sort().join(", ");
    app.all(path, (c) => {
      c.set("route", path);
      throw new Problem("methodNotAllowed", `${c.req.method} is not possible here, use ${allow}`, { headers: { allow } });
    });
  }
}
