import type { Context, Handler } from "hono";
import { findSession, validSessions } from "../../commands/members/sessions.js";
import { createSignIn } from "../../commands/members/signIn.js";
import { Rejection } from "../../domain/rejection.js";
import { pageVersions } from "../../queries/pageVersions.js";
import type { Slots } from "../../slots.js";
import { answerInTime, readInTime, readPatienceMs } from "../server/answerInTime.js";
import { parseJson, requireJson } from "../server/parseJson.js";
import { answerTable } from "../server/problem.js";
import type { WithBody } from "../server/readBody.js";
import { type AppEnv, send } from "../server/requestFrame.js";
import { assetFolder, readAssets, serveAsset } from "./assets.js";
import { boundDownloads } from "./downloads.js";
import { type Fields, maxFormBytes, noFields, parseFields, requireFormType, withoutPasswords } from "./fields.js";
import { answerInLines, waitForWork, wantsLines } from "./lines.js";
import { createLinks } from "./links.js";
import { createOpenPages } from "./live/openPages.js";
import { createNotices } from "./notices.js";
import type {
  AnswerDefinition,
  FieldFault,
  FormDefinition,
  FormResult,
  PageContent,
  PageDefinition,
  PortalDeps,
  PortalOptions,
  Visit,
} from "./pageDefinition.js";
import { errorAnswer, errorPage, pageResponse, redirect } from "./pageResponse.js";
import { answers, forms, pages } from "./pages/list.js";
import { sessionCookie } from "./sessions/cookies.js";
import { ensureSameOrigin } from "./sessions/sameOrigin.js";
import { createSignInLog } from "./sessions/signInLog.js";
import { bodyBounds, ensureFromOwnPage, expectAccess, ownerOf, readingOf, refusalPage, type Serving, visitBy, visitOf } from "./visits.js";

/** What the portal shares with the API's routes. */
export interface PortalFrame {
  readonly withBody: WithBody;
  readonly uploads: Slots;
  readonly closing?: AbortSignal | undefined;
  readonly stopping?: AbortSignal | undefined;
}

/** Every page and form, for the app to put beside the API's routes. */
export function createPortal(options: PortalOptions, { withBody, uploads, closing, stopping }: PortalFrame) {
  const links = createLinks(options.publicUrl);
  const assets = readAssets();
  const deps = depsOf(options, closing ?? new AbortController().signal, stopping);
  const serving: Serving = {
    deps,
    withBody,
    uploads,
    links,
    assets,
    notices: createNotices(options.signingSecret, links),
    sessionOf: (c) => answerInTime(findSession(deps.lookUps, deps.sessionCookie.read(c)), readPatienceMs, "session"),
  };
  /** The page for an error that was thrown before a page was reached. */
  const answerError = async (c: Context<AppEnv>, error: unknown) => {
    if (wantsLines(c)) return send(c, errorAnswer(c, error, deps.logger));
    const person = await serving.sessionOf(c).catch(() => undefined);
    return errorPage(visitBy(c, person, "anyone", serving), error, deps.logger);
  };
  const route = (method: "GET" | "POST", path: string, handle: (c: Context<AppEnv>) => Promise<Response>) => ({
    method,
    path,
    handler: (c: Context<AppEnv>) => handle(c).catch((error: unknown) => answerError(c, error)),
  });
  return {
    routes: [
      ...pages.map((page) => route("GET", page.path, (c) => showPage(c, page, serving))),
      ...forms.map((form) => route("POST", form.path, (c) => takeForm(c, form, serving))),
      ...answers.map((one) => ({ method: one.method, path: one.path, handler: serveAnswer(one, serving) })),
      route("GET", `${assetFolder}/{file}`, async (c) => serveAsset(c, assets, c.req.param("file") ?? "")),
    ],
    /** Redirects from `/`, or from an address with a slash too many, to a page. */
    lead: (c: Context<AppEnv>, path: string) => redirect(c, links.to(path), 302),
    answerError,
  };
}

function depsOf(options: PortalOptions, closing: AbortSignal, stopping: AbortSignal | undefined): PortalDeps {
  const { publicUrl, signingSecret, members, logger, lookUps, pool } = options;
  return {
    ...options,
    signIn: createSignIn({ ...members, signingSecret }),
    signInLog: createSignInLog(options),
    sessionCookie: sessionCookie(publicUrl),
    downloads: boundDownloads(),
    openPages: createOpenPages({
      versions: (watched) => pageVersions(watched, pool),
      signedIn: (sessions) => validSessions(lookUps, sessions),
      closing,
      logger,
    }),
    closing,
    stopping,
  };
}

async function showPage(c: Context<AppEnv>, page: PageDefinition<Visit>, serving: Serving): Promise<Response> {
  const visit = await visitOf(c, page.access, serving);
  const refused = refusalPage(visit, page.access);
  if (refused) return refused;
  try {
    return respond(visit, await readInTime(serving.deps, readingOf(visit, page.path), (deps) => page.show(visit, deps)), serving);
  } catch (error) {
    return errorPage(visit, error, serving.deps.logger);
  }
}

async function takeForm(c: Context<AppEnv>, form: FormDefinition<Visit>, serving: Serving): Promise<Response> {
  const { deps, withBody, uploads } = serving;
  ensureSameOrigin({ header: (name) => c.req.header(name), publicUrl: deps.publicUrl });
  requireFormType(c.req.header("content-type"), form.body === "upload" ? "multipart/form-data" : undefined);
  const visit = await visitOf(c, form.access, serving);
  if (wantsLines(c)) expectAccess(visit, form.access);
  const refused = refusalPage(visit, form.access);
  if (refused) return refused;
  if (form.body === "upload") return uploads.within(visit.person?.organisationId ?? "", () => submit(form, visit, noFields, serving));
  return withBody(c.req.raw, bodyBounds(visit, form.mostBytes ?? maxFormBytes), async (bytes) => {
    const fields = parseFields(bytes);
    // The sign-in form belongs to no session yet; it may come from a tab that was opened before.
    if (visit.person && form.access !== "anyone") ensureFromOwnPage(visit, deps, fields.get("token"));
    return submit(form, visit, fields, serving);
  });
}

async function submit(form: FormDefinition<Visit>, visit: Visit, fields: Fields, serving: Serving): Promise<Response> {
  const { deps } = serving;
  const { context: c } = visit;
  try {
    const result = await form.submit(visit, fields, deps);
    if (!wantsLines(c)) return respond(visit, "work" in result ? await waitForWork(visit, deps, result) : result, serving);
    const work = "work" in result ? result.work : async () => result as FormResult;
    return answerInLines(visit, deps, async (say, signal) => ({ goTo: serving.links.to((await work(say, signal)).goTo) }));
  } catch (error) {
    if (wantsLines(c)) throw error;
    if (!(error instanceof Rejection)) return errorPage(visit, error, deps.logger);
    // What a person can put right stands above the form, which keeps what they wrote.
    const notice = { kind: "error" as const, lines: error.details ?? [error.message] };
    const fault = faultIn(form, notice.lines);
    const again = { ...visit, submitted: withoutPasswords(fields), ...(fault ? { fault, notice: undefined } : { notice }) };
    const shown = await form.page.show(again, deps).catch((failed: unknown) => errorPage(visit, failed, deps.logger));
    if (shown instanceof Response) return shown;
    return respond(again, "goTo" in shown ? { ...shown, notice } : { ...shown, status: answerTable[error.code].status }, serving);
  }
}

function faultIn({ faults = {} }: FormDefinition<Visit>, [line = "", ...more]: readonly string[]): FieldFault | undefined {
  const [field] = Object.entries(faults).find(([, about]) => about.test(line)) ?? [];
  return field === undefined || more.length > 0 ? undefined : { field, line };
}

function respond(visit: Visit, result: PageContent | FormResult, { links, notices }: Serving): Response {
  const { context: c, person } = visit;
  if ("goTo" in result) {
    const { goTo, notice, owner = ownerOf(person) } = result;
    if (notice) c.header("set-cookie", notices.leave(notice, owner), { append: true });
    return redirect(c, /^https?:/.test(goTo) ? goTo : links.to(goTo), c.req.method === "GET" ? 302 : 303);
  }
  if (visit.notice) c.header("set-cookie", notices.gone, { append: true });
  return pageResponse(visit, result, result.retryAfter === undefined ? {} : { "retry-after": String(result.retryAfter) });
}

/** Checks the visitor as for pages and forms. A script sends the page's token in the header `x-form-token`. */
export function serveAnswer(one: AnswerDefinition<Visit>, serving: Serving): Handler<AppEnv> {
  const { deps } = serving;
  return async (c) => {
    let visit: Visit | undefined;
    try {
      visit = await visitOf(c, one.access, serving);
      if (one.method === "POST") return await post(one, visit, serving);
      const refused = isNavigation(c) && refusalPage(visit, one.access);
      if (refused) return refused;
      expectAccess(visit, one.access);
      const asked = visit;
      return await readInTime(deps, readingOf(asked, one.path), (own) => one.answer(asked, own, undefined));
    } catch (error) {
      return visit && isNavigation(c) ? errorPage(visit, error, deps.logger) : send(c, errorAnswer(c, error, deps.logger));
    }
  };
}

async function post(
  { access, body, answer }: AnswerDefinition<Visit>,
  visit: Visit,
  { deps, withBody, uploads }: Serving,
): Promise<Response> {
  const { context: c, person } = visit;
  expectAccess(visit, access);
  ensureFromOwnPage(visit, deps);
  if (body === undefined) return answer(visit, deps, undefined);
  if (body === "upload") return uploads.within(person?.organisationId ?? "", () => answer(visit, deps, undefined));
  requireJson(c.req.raw.headers);
  return withBody(c.req.raw, bodyBounds(visit, body.json), (bytes) => answer(visit, deps, parseJson(bytes)));
}

/** Whether the browser itself opens the address, by a link, and will show the answer. */
const isNavigation = (c: Context<AppEnv>) => c.req.method === "GET" && (c.req.header("accept") ?? "").includes("text/html");
