import type { Context, Handler } from "hono";
import type { Places } from "../../places.js";
import { answerError } from "../server/answerError.js";
import { readInTime } from "../server/inTime.js";
import { parseJson, requireJson } from "../server/parseJson.js";
import type { WithBody } from "../server/readBody.js";
import { type AppEnv, send } from "../server/requestFrame.js";
import { answerWithPage } from "./errorPage.js";
import type { AnswerOf, PortalDeps } from "./page.js";
import { refuse, refuseScript } from "./refuse.js";
import { ensureOwnForm } from "./sessions/sameOrigin.js";
import type { Visit } from "./visit.js";
import { bodyBounds, readingOf } from "./visits.js";

interface Serving {
  readonly deps: PortalDeps;
  readonly withBody: WithBody;
  readonly uploads: Places;
  readonly visit: (c: Context<AppEnv>) => Promise<Visit>;
}

/** Checks the visitor as for pages and forms. A script sends the page's token in the header `x-form-token`. */
export function serveAnswer(one: AnswerOf<Visit>, serving: Serving): Handler<AppEnv> {
  const { deps } = serving;
  return async (c) => {
    let visit: Visit | undefined;
    try {
      visit = await serving.visit(c);
      return one.method === "GET" ? await get(one, visit, deps) : await post(one, visit, serving);
    } catch (error) {
      if (visit && isNavigation(c)) return answerWithPage(c, error, visit, deps.logger);
      return send(c, answerError(error, deps.logger, { requestId: c.get("requestId"), method: c.req.method, route: c.get("route") }));
    }
  };
}

async function get({ access, answer, path }: AnswerOf<Visit>, visit: Visit, deps: PortalDeps): Promise<Response> {
  if (isNavigation(visit.context)) {
    const refused = refuse(visit, access);
    if (refused) return refused;
  }
  refuseScript(visit, access);
  return readInTime(deps, readingOf(visit, path), (own) => answer(visit, own, undefined));
}

async function post({ access, body, answer }: AnswerOf<Visit>, visit: Visit, { deps, withBody, uploads }: Serving): Promise<Response> {
  const { context: c, person, formToken } = visit;
  const header = (name: string) => c.req.header(name);
  refuseScript(visit, access);
  ensureOwnForm({ header, publicUrl: deps.publicUrl, formToken, given: header("x-form-token") });
  if (body === undefined) return answer(visit, deps, undefined);
  if (body === "upload") return uploads.within(person?.organisationId ?? "", () => answer(visit, deps, undefined));
  requireJson(c.req.raw.headers);
  return withBody(c.req.raw, bodyBounds(visit, body.json), (bytes) => answer(visit, deps, parseJson(bytes)));
}

/** Whether the browser itself opens the address, by a link, and will show the answer. */
const isNavigation = (c: Context<AppEnv>) => c.req.method === "GET" && (c.req.header("accept") ?? "").includes("text/html");
