import type { Context } from "hono";
import { findSession, validSessions } from "../../commands/members/sessions.js";
import { createPasswordCheck } from "../../commands/members/signIn.js";
import { Rejection } from "../../domain/rejection.js";
import { trimTrailing } from "../../domain/trimTrailing.js";
import { pageVersions } from "../../queries/pageVersions.js";
import { answerInTime, readInTime, readPatienceMs } from "../server/answerInTime.js";
import { type AppEnv, send } from "../server/aroundRequest.js";
import { parseJson, requireJson } from "../server/parseJson.js";
import { answerTable } from "../server/problem.js";
import { assetFolder, readAssets, serveAsset } from "./assets.js";
import { boundDownloads } from "./downloads.js";
import { type Fields, FormRefusal, maxFormBytes, noFields, parseFields, requireFormType, withoutPasswords } from "./fields.js";
import { answerInLines, waitForWork, wantsLines } from "./lines.js";
import { createOpenPages } from "./live/openPages.js";
import type { AnswerDefinition, FormDefinition, PageDefinition, PortalDeps, PortalFrame, PortalOptions, Visit } from "./pageDefinition.js";
import { errorAnswer, errorPage, pageResponse, redirect } from "./pageResponse.js";
import { answers, forms, pages } from "./pages/list.js";
import { sessionCookie } from "./sessions/cookies.js";
import { ensureOwnPage, ensureSameOrigin } from "./sessions/sameOrigin.js";
import { createSignInLog } from "./sessions/signInLog.js";
import { bodyRequest, createVisit, expectAccess, loadVisit, noticeCookie, ownerOf, readingOf, refusalPage } from "./visits.js";

/** Every page and form, for the app to put beside the API's routes. */
export function createPortal(options: PortalOptions, { closing = new AbortController().signal, ...frame }: PortalFrame) {
  const { publicUrl, signingSecret, members, logger, lookUps, pool } = options;
  const cookie = sessionCookie(publicUrl);
  const publicPath = trimTrailing(new URL(publicUrl).pathname, "/");
  const deps: PortalDeps = {
    ...options,
    ...frame,
    closing,
    maxQueuedImports: options.limits.maxQueuedImports,
    links: { to: (path) => publicPath + path },
    assets: readAssets(),
    checkPassword: createPasswordCheck({ ...members, signingSecret }),
    signInLog: createSignInLog(options),
    sessionCookie: cookie,
    sessionOf: (c) => answerInTime(findSession(lookUps, cookie.read(c)), readPatienceMs, "session"),
    downloads: boundDownloads(),
    openPages: createOpenPages({
      versions: (watched) => pageVersions(watched, pool),
      signedIn: (sessions) => validSessions(lookUps, sessions),
      closing,
      logger,
    }),
  };
  /** The page for an error that was thrown before a page was reached. */
  const answerError = async (c: Context<AppEnv>, error: unknown) => {
    if (wantsLines(c)) return send(c, errorAnswer(c, error, logger));
    const person = await deps.sessionOf(c).catch(() => undefined);
    return errorPage(createVisit(c, person, "anyone", deps), error, logger);
  };
  const route = (method: "GET" | "POST", path: string, handle: (c: Context<AppEnv>) => Promise<Response>) => ({
    method,
    path,
    handler: (c: Context<AppEnv>) => handle(c).catch((error: unknown) => answerError(c, error)),
  });
  return {
    routes: [
      ...pages.map((page) => route("GET", page.path, (c) => showPage(c, page, deps))),
      ...forms.map((form) => route("POST", form.path, (c) => takeForm(c, form, deps))),
      ...answers.map((one) => route(one.mostBytes === undefined ? "GET" : "POST", one.path, (c) => serveAnswer(c, one, deps))),
      ...["{file}", "{folder}/{file}"].map((path) =>
        route("GET", `${assetFolder}/{hash}/${path}`, async (c) => serveAsset(c, deps.assets)),
      ),
    ],
    /** Redirects from `/`, or from an address with a slash too many, to a page. */
    lead: (c: Context<AppEnv>, path: string) => redirect(c, deps.links.to(path), 302),
    answerError,
  };
}

async function showPage(c: Context<AppEnv>, page: PageDefinition<Visit>, deps: PortalDeps): Promise<Response> {
  const visit = await loadVisit(c, page.access, deps);
  const refused = refusalPage(visit, page.access);
  if (refused) return refused;
  try {
    return respond(visit, await readInTime(deps, readingOf(visit, page.path), (own) => page.show(visit, own)), deps);
  } catch (error) {
    return errorPage(visit, error, deps.logger);
  }
}

async function takeForm(c: Context<AppEnv>, form: FormDefinition<Visit>, deps: PortalDeps): Promise<Response> {
  const { withBody, uploads } = deps;
  ensureSameOrigin(c, deps.publicUrl);
  requireFormType(c.req.header("content-type"), form.body === "upload" ? "multipart/form-data" : undefined);
  const visit = await loadVisit(c, form.access, deps);
  if (wantsLines(c)) expectAccess(visit, form.access);
  const refused = refusalPage(visit, form.access);
  if (refused) return refused;
  if (form.body === "upload") return uploads.within(visit.person?.organisationId ?? "", () => submit(form, visit, noFields, deps));
  return withBody(c.req.raw, bodyRequest(visit, form.mostBytes ?? maxFormBytes), async (bytes) => {
    const fields = parseFields(bytes);
    // The sign-in form belongs to no session yet; it may come from a tab that was opened before.
    if (visit.person && form.access !== "anyone") ensureOwnPage(c, deps.publicUrl, visit.person.formToken, fields.get("token"));
    return submit(form, visit, fields, deps);
  });
}

async function submit(form: FormDefinition<Visit>, visit: Visit, fields: Fields, deps: PortalDeps): Promise<Response> {
  const { context: c } = visit;
  try {
    const result = await form.submit(visit, fields, deps);
    if (wantsLines(c)) return answerInLines(visit, deps, "work" in result ? result.work : async () => result as { goTo: string });
    return respond(visit, "work" in result ? await waitForWork(visit, deps, result) : result, deps);
  } catch (error) {
    if (wantsLines(c)) throw error;
    if (!(error instanceof Rejection || error instanceof FormRefusal)) return errorPage(visit, error, deps.logger);
    // What a person can put right stands above the form, which keeps what they wrote.
    const { details = [error.message], ...answer } =
      error instanceof Rejection
        ? { details: error.details, status: answerTable[error.code].status }
        : { status: error.status, retryAfter: error.retryAfter };
    const notice = { kind: "error" as const, lines: details };
    const fault = faultIn(form, notice.lines);
    const again = { ...visit, submitted: withoutPasswords(fields), ...(fault ? { fault, notice: undefined } : { notice }) };
    const shown = await form.page.show(again, deps).catch((failed: unknown) => errorPage(visit, failed, deps.logger));
    if (shown instanceof Response) return shown;
    return respond(again, "goTo" in shown ? { ...shown, notice } : { ...shown, ...answer }, deps);
  }
}

function faultIn({ faults = {} }: FormDefinition<Visit>, [line = "", ...more]: readonly string[]) {
  const [field] = Object.entries(faults).find(([, about]) => about.test(line)) ?? [];
  return field === undefined || more.length > 0 ? undefined : { field, line };
}

function respond(visit: Visit, result: Awaited<ReturnType<PageDefinition["show"]>>, deps: PortalDeps): Response {
  const { context: c, person } = visit;
  if ("goTo" in result) {
    const { goTo, notice, owner = ownerOf(person) } = result;
    if (notice) noticeCookie(deps, owner).write(c, notice);
    return redirect(c, /^https?:/.test(goTo) ? goTo : deps.links.to(goTo), c.req.method === "GET" ? 302 : 303);
  }
  if (visit.notice) noticeCookie(deps, ownerOf(person)).clear(c);
  return pageResponse(visit, result, result.retryAfter === undefined ? {} : { "retry-after": String(result.retryAfter) });
}

/** Checks the visitor as for pages and forms. A script sends the page's token in the header `x-form-token`. */
async function serveAnswer(c: Context<AppEnv>, { path, access, mostBytes, answer }: AnswerDefinition<Visit>, deps: PortalDeps) {
  let known: Visit | undefined;
  try {
    const visit = await loadVisit(c, access, deps);
    known = visit;
    const refused = isNavigation(c) && refusalPage(visit, access);
    if (refused) return refused;
    expectAccess(visit, access);
    if (mostBytes === undefined) return await readInTime(deps, readingOf(visit, path), (own) => answer(visit, own, undefined));
    ensureOwnPage(c, deps.publicUrl, visit.person?.formToken);
    requireJson(c.req.raw.headers);
    return await deps.withBody(c.req.raw, bodyRequest(visit, mostBytes), (bytes) => answer(visit, deps, parseJson(bytes)));
  } catch (error) {
    return known && isNavigation(c) ? errorPage(known, error, deps.logger) : send(c, errorAnswer(c, error, deps.logger));
  }
}

/** Whether the browser itself opens the address, by a link, and will show the answer. */
const isNavigation = (c: Context<AppEnv>) => c.req.method === "GET" && (c.req.header("accept") ?? "").includes("text/html");
