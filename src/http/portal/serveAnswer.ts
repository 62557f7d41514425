import type { Context, Handler } from "hono";
import { readInTime } from "../server/inTime.js";
import { parseJson, requireJson } from "../server/parseJson.js";
import type { AppEnv } from "../server/requestFrame.js";
import { send } from "../server/requestFrame.js";
import type { AnswerOf, PortalDeps, Visit } from "./page.js";
import { errorAnswer, errorPage } from "./pageResponse.js";
import { bodyBounds, ensureFromOwnPage, readingOf, refuse, refuseScript, type Serving, visitOf } from "./visits.js";

/** Checks the visitor as for pages and forms. A script sends the page's token in the header `x-form-token`. */
export function serveAnswer(one: AnswerOf<Visit>, serving: Serving): Handler<AppEnv> {
  const { deps } = serving;
  return async (c) => {
    let visit: Visit | undefined;
    try {
      visit = await visitOf(c, one.access, serving);
      return one.method === "GET" ? await get(one, visit, deps) : await post(one, visit, serving);
    } catch (error) {
      return visit && isNavigation(c) ? errorPage(visit, error, deps.logger) : send(c, errorAnswer(c, error, deps.logger));
    }
  };
}

async function get({ access, answer, path }: AnswerOf<Visit>, visit: Visit, deps: PortalDeps): Promise<Response> {
  const refused = isNavigation(visit.context) && refuse(visit, access);
  if (refused) return refused;
  refuseScript(visit, access);
  return readInTime(deps, readingOf(visit, path), (own) => answer(visit, own, undefined));
}

async function post({ access, body, answer }: AnswerOf<Visit>, visit: Visit, { deps, withBody, uploads }: Serving): Promise<Response> {
  const { context: c, person } = visit;
  refuseScript(visit, access);
  ensureFromOwnPage(visit, deps);
  if (body === undefined) return answer(visit, deps, undefined);
  if (body === "upload") return uploads.within(person?.organisationId ?? "", () => answer(visit, deps, undefined));
  requireJson(c.req.raw.headers);
  return withBody(c.req.raw, bodyBounds(visit, body.json), (bytes) => answer(visit, deps, parseJson(bytes)));
}

/** Whether the browser itself opens the address, by a link, and will show the answer. */
const isNavigation = (c: Context<AppEnv>) => c.req.method === "GET" && (c.req.header("accept") ?? "").includes("text/html");
