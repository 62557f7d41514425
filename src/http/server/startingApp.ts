import { Hono } from "hono";
import type { Logger } from "pino";
import { plainAnswer, retryAfterOutageSeconds } from "./answerError.js";
import { type AppEnv, requestFrame, send } from "./requestFrame.js";

/** Answers while the process loads its modules and waits for its stores: it is alive, and everything else is to be tried again shortly. */
export function createStartingApp(logger: Logger): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const headers = { "retry-after": String(retryAfterOutageSeconds) };
  app.use(requestFrame({ logger, metrics: { requestEnded: () => undefined } }));
  app.get("/healthz", (c) => send(c, { status: 200, body: { status: "ok" } }));
  app.get("/readyz", (c) => send(c, { status: 503, headers, body: { status: "unavailable", checks: { start: "failed" } } }));
  app.all("*", (c) => send(c, { ...plainAnswer("unavailable", "The service is starting, try again shortly"), headers }));
  return app;
}
