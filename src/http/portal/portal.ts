import type { Context } from "hono";
import { findSession, validSessions } from "../../commands/members/sessions.js";
import { createPasswordCheck } from "../../commands/members/signIn.js";
import { Rejection } from "../../domain/rejection.js";
import { trimTrailing } from "../../domain/trimTrailing.js";
import { pageVersions } from "../../queries/pageVersions.js";
import { answerInTime, maxReadMs, readInTime } from "../server/answerInTime.js";
import { parseJson, requireJson } from "../server/parseJson.js";
import { answerTable } from "../server/problem.js";
import { type AppEnv, sendAnswer } from "../server/requestMiddleware.js";
import { assetFolder, readAssets, serveAsset } from "./assets.js";
import { createDownloadSlots } from "./downloads.js";
import { type Fields, FormRefusal, maxFormBytes, noFields, parseFields, requireFormType, withoutSecrets } from "./fields.js";
import { answerInLines, waitForWork, wantsLines } from "./lines.js";
import { createOpenPages } from "./live/openPages.js";
import type { AnswerDefinition, FormDefinition, HttpRuntime, PageDefinition, PortalDeps, PortalOptions, Visit } from "./pageDefinition.js";
import { errorAnswer, errorPage, pageResponse, redirect } from "./pageResponse.js";
import { answers, forms, pages } from "./pages/list.js";
import { sessionCookie } from "./sessions/cookies.js";
import { ensureOwnPage, ensureSameOrigin } from "./sessions/sameOrigin.js";
import { createSignInLog } from "./sessions/signInLog.js";
import { bodyRequest, createVisit, expectAccess, loadVisit, noticeCookie, ownerOf, readingRequestOf, refusalPage } from "./visits.js";

/** Creates the portal's routes, which the app registers beside those of the API. */
export function createPortal(options: PortalOptions, { closing = new AbortController().signal, ...shared }: HttpRuntime) {
  const { publicUrl, signingSecret, members, logger, lookUpPool, pool } = options;
  const cookie = sessionCookie(publicUrl);
  const publicPath = trimTrailing(new URL(publicUrl).pathname, "/");
  const deps: PortalDeps = {
    ...options,
    ...shared,
    closing,
    maxQueuedImports: options.limits.maxQueuedImports,
    links: { to: (path) => publicPath + path },
    assets: readAssets(),
    checkPassword: createPasswordCheck({ ...members, signingSecret }),
    signInLog: createSignInLog(options),
    sessionCookie: cookie,
    sessionOf: (c) => answerInTime(findSession(lookUpPool, cookie.read(c)), maxReadMs, "session"),
    downloads: createDownloadSlots(),
    openPages: createOpenPages({
      readVersions: (watched) => pageVersions(watched, pool),
      findSignedIn: (sessions) => validSessions(lookUpPool, sessions),
      closing,
      logger,
    }),
  };
  /** Answers an error that no page, form or answer of the portal has handled. */
  const answerError = async (c: Context<AppEnv>, error: unknown) => {
    if (wantsLines(c)) return sendAnswer(c, errorAnswer(c, error, logger));
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
      ...forms.map((form) => route("POST", form.path, (c) => handleForm(c, form, deps))),
      ...answers.map((answer) => route(answer.maxBytes === undefined ? "GET" : "POST", answer.path, (c) => serveAnswer(c, answer, deps))),
      ...["{file}", "{folder}/{file}"].map((path) =>
        route("GET", `${assetFolder}/{hash}/${path}`, async (c) => serveAsset(c, deps.assets)),
      ),
    ],
    /** Redirects to a page, from `/` or from an address with a trailing slash. */
    redirectTo: (c: Context<AppEnv>, path: string) => redirect(c, deps.links.to(path), 302),
    answerError,
  };
}

async function showPage(c: Context<AppEnv>, page: PageDefinition<Visit>, deps: PortalDeps): Promise<Response> {
  const visit = await loadVisit(c, page.access, deps);
  const refused = refusalPage(visit, page.access);
  if (refused) return refused;
  try {
    return respond(visit, await readInTime(deps, readingRequestOf(visit, page.path), (readDeps) => page.show(visit, readDeps)), deps);
  } catch (error) {
    return errorPage(visit, error, deps.logger);
  }
}

async function handleForm(c: Context<AppEnv>, form: FormDefinition<Visit>, deps: PortalDeps): Promise<Response> {
  const { withBody, uploads } = deps;
  ensureSameOrigin(c, deps.publicUrl);
  requireFormType(c.req.header("content-type"), form.body === "upload" ? "multipart/form-data" : undefined);
  const visit = await loadVisit(c, form.access, deps);
  if (wantsLines(c)) expectAccess(visit, form.access);
  const refused = refusalPage(visit, form.access);
  if (refused) return refused;
  if (form.body === "upload") return uploads.withSlot(visit.person?.organisationId ?? "", () => submit(form, visit, noFields, deps));
  return withBody(c.req.raw, bodyRequest(visit, form.maxBytes ?? maxFormBytes), async (bytes) => {
    const fields = parseFields(bytes);
    // Forms for anyone belong to no session: a visitor who has signed in in one tab may still send the sign-in form of another.
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
    // The form is shown again as it was sent, with the problem above it or at its field.
    const { details = [error.message], ...refusal } =
      error instanceof Rejection
        ? { details: error.details, status: answerTable[error.code].status }
        : { status: error.status, retryAfter: error.retryAfter };
    const notice = { kind: "error" as const, lines: details };
    const fault = faultIn(form, notice.lines);
    const repeatedVisit = { ...visit, submitted: withoutSecrets(fields), ...(fault ? { fault, notice: undefined } : { notice }) };
    const result = await form.page.show(repeatedVisit, deps).catch((pageError: unknown) => errorPage(visit, pageError, deps.logger));
    if (result instanceof Response) return result;
    return respond(repeatedVisit, "goTo" in result ? { ...result, notice } : { ...result, ...refusal }, deps);
  }
}

function faultIn({ faults = {} }: FormDefinition<Visit>, [line = "", ...more]: readonly string[]) {
  const [field] = Object.entries(faults).find(([, pattern]) => pattern.test(line)) ?? [];
  return field === undefined || more.length > 0 ? undefined : { field, message: line };
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

/** Answers a script, a link or an event source. For a POST, the script sends the form token in the header `x-form-token`. */
async function serveAnswer(c: Context<AppEnv>, { path, access, maxBytes, answer }: AnswerDefinition<Visit>, deps: PortalDeps) {
  let loadedVisit: Visit | undefined;
  try {
    const visit = await loadVisit(c, access, deps);
    loadedVisit = visit;
    const refused = isNavigation(c) && refusalPage(visit, access);
    if (refused) return refused;
    expectAccess(visit, access);
    if (maxBytes === undefined)
      return await readInTime(deps, readingRequestOf(visit, path), (readDeps) => answer(visit, readDeps, undefined));
    ensureOwnPage(c, deps.publicUrl, visit.person?.formToken);
    requireJson(c.req.raw.headers);
    return await deps.withBody(c.req.raw, bodyRequest(visit, maxBytes), (bytes) => answer(visit, deps, parseJson(bytes)));
  } catch (error) {
    return loadedVisit && isNavigation(c) ? errorPage(loadedVisit, error, deps.logger) : sendAnswer(c, errorAnswer(c, error, deps.logger));
  }
}

/** Whether a person opened the address, so that the browser shows the answer as a page. */
const isNavigation = (c: Context<AppEnv>) => c.req.method === "GET" && (c.req.header("accept") ?? "").includes("text/html");
