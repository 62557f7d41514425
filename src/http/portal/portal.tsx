import type { Context, Handler } from "hono";
import type { Logger } from "pino";
import { findSession, type Session } from "../../commands/members/sessions.js";
import { createSignIn } from "../../commands/members/signIn.js";
import { Rejection } from "../../domain/rejection.js";
import type { Places } from "../../places.js";
import { inTime, readInTime, readPatienceMs } from "../server/inTime.js";
import { answerTable } from "../server/problem.js";
import type { WithBody } from "../server/readBody.js";
import type { AppEnv } from "../server/requestFrame.js";
import { assetFolder, readAssets } from "./assets.js";
import { boundDownloads } from "./downloads.js";
import { answerWithPage } from "./errorPage.js";
import { type Fields, maxFormBytes, noFields, parseFields, requireFormType, withoutPasswords } from "./fields.js";
import { html, redirect } from "./headers.js";
import { createLinks } from "./links.js";
import { createLive } from "./live/live.js";
import { createNotices } from "./notices.js";
import type { Done, FormOf, PageOf, PortalDeps, PortalOptions, Shown } from "./page.js";
import { answers, forms, pages } from "./pages/list.js";
import { refuse } from "./refuse.js";
import { serveAnswer } from "./serveAnswer.js";
import { serveAsset } from "./serveAsset.js";
import { sessionCookie } from "./sessions/cookies.js";
import { ensureOwnForm, ensureSameOrigin } from "./sessions/sameOrigin.js";
import { createSignInLog } from "./sessions/signInLog.js";
import { Layout } from "./shell/layout.js";
import type { Visit } from "./visit.js";
import { bodyBounds, ownerOf, readingOf, type VisitParts, visitOf } from "./visits.js";

export interface PortalRoute {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly handler: Handler<AppEnv>;
}

export interface Portal {
  readonly routes: readonly PortalRoute[];
  /** Redirects from `/`, or from an address with a slash too many, to a page. */
  readonly lead: (c: Context<AppEnv>, path: string) => Response;
  /** The page for an error that was thrown before a page was reached. */
  readonly answerError: (c: Context<AppEnv>, error: unknown) => Response;
}

/** What the portal shares with the API's routes. */
export interface PortalFrame {
  readonly withBody: WithBody;
  readonly uploads: Places;
  readonly closing?: AbortSignal | undefined;
  readonly stopping?: AbortSignal | undefined;
}

interface Serving extends VisitParts {
  readonly deps: PortalDeps;
  readonly logger: Logger;
  readonly withBody: WithBody;
  readonly uploads: Places;
}

/** Every page and form, for the app to put beside the API's routes. */
export function createPortal(options: PortalOptions, frame: PortalFrame): Portal {
  const { publicUrl, signingSecret, members, logger } = options;
  const { withBody, uploads, closing, stopping } = frame;
  const links = createLinks(publicUrl);
  const assets = readAssets();
  const notices = createNotices(signingSecret, links);
  const own = {
    ...{ signIn: createSignIn({ ...members, signingSecret }), signInLog: createSignInLog(options) },
    ...{ sessionCookie: sessionCookie(publicUrl), downloads: boundDownloads() },
  };
  const ending = closing ?? new AbortController().signal;
  const deps = { ...options, ...own, live: createLive(options, ending), closing: ending, stopping };
  const sessionOf = (c: Context<AppEnv>) => inTime(findSession(deps.lookUps, deps.sessionCookie.read(c)), readPatienceMs, "session");
  const serving: Serving = { deps, logger, withBody, uploads, links, assets, notices, sessionOf };
  return {
    routes: [
      ...pages.map((page) => ({ method: "GET" as const, path: page.path, handler: guarded(serving, (c) => showPage(c, page, serving)) })),
      ...forms.map((form) => ({ method: "POST" as const, path: form.path, handler: guarded(serving, (c) => takeForm(c, form, serving)) })),
      ...answers.map((one) => ({
        ...{ method: one.method, path: one.path },
        handler: serveAnswer(one, {
          ...{ deps, withBody, uploads },
          visit: async (c: Context<AppEnv>) => visitOf(c, await sessionOf(c), one.access, serving),
        }),
      })),
      {
        method: "GET",
        path: `${assetFolder}/{file}`,
        handler: guarded(serving, async (c) => serveAsset(c, assets, c.req.param("file") ?? "")),
      },
    ],
    lead: (c, path) => redirect(c, links.to(path), 302),
    answerError: (c, error) => answerWithPage(c, error, visitOf(c, undefined, "anyone", serving), logger),
  };
}

/** Errors become pages. */
const guarded =
  (serving: Serving, handle: (c: Context<AppEnv>) => Promise<Response>): Handler<AppEnv> =>
  (c) =>
    handle(c).catch((error: unknown) => answerWithPage(c, error, visitOf(c, undefined, "anyone", serving), serving.logger));

async function showPage(c: Context<AppEnv>, page: PageOf<Visit>, serving: Serving): Promise<Response> {
  const session = await serving.sessionOf(c);
  const visit = visitOf(c, session, page.access, serving);
  const refused = refuse(visit, page.access);
  if (refused) return refused;
  try {
    const shown = await readInTime(serving.deps, readingOf(visit, page.path), (deps) => page.show(visit, deps));
    return "goTo" in shown ? goOn(c, shown, session, serving) : render(c, shown, visit, serving);
  } catch (error) {
    return answerWithPage(c, error, visit, serving.logger);
  }
}

async function takeForm(c: Context<AppEnv>, form: FormOf<Visit>, serving: Serving): Promise<Response> {
  const { deps, withBody } = serving;
  const asked = { header: (name: string) => c.req.header(name), publicUrl: deps.publicUrl };
  ensureSameOrigin(asked);
  requireFormType(c.req.header("content-type"), form.body === "upload" ? "multipart/form-data" : undefined);
  const session = await serving.sessionOf(c);
  const visit = visitOf(c, session, form.access, serving);
  const refused = refuse(visit, form.access);
  if (refused) return refused;
  if (form.body === "upload")
    return serving.uploads.within(visit.person?.organisationId ?? "", () => submit(c, form, { visit, session, fields: noFields }, serving));
  return withBody(c.req.raw, bodyBounds(visit, maxFormBytes), async (bytes) => {
    const fields = parseFields(bytes);
    // The sign-in form belongs to no session yet; it may come from a tab that was opened before.
    if (session && form.access !== "anyone") ensureOwnForm({ ...asked, formToken: session.formToken, given: fields.get("token") });
    return submit(c, form, { visit, session, fields }, serving);
  });
}

interface Submission {
  readonly visit: Visit;
  readonly session: Session | undefined;
  readonly fields: Fields;
}

async function submit(
  c: Context<AppEnv>,
  form: FormOf<Visit>,
  { visit, session, fields }: Submission,
  serving: Serving,
): Promise<Response> {
  try {
    const done = await form.submit(visit, fields, serving.deps);
    return "goTo" in done ? goOn(c, done, session, serving) : render(c, done, visit, serving);
  } catch (error) {
    if (!(error instanceof Rejection)) return answerWithPage(c, error, visit, serving.logger);
    // What a person can put right is said above the form, which keeps what they wrote.
    const notice = { kind: "error" as const, lines: error.details ?? [error.message] };
    const again = { ...visit, notice, submitted: withoutPasswords(fields) };
    const shown = await form.page.show(again, serving.deps).catch((failed: unknown) => answerWithPage(c, failed, visit, serving.logger));
    if (shown instanceof Response) return shown;
    if ("goTo" in shown) return goOn(c, { ...shown, notice }, session, serving);
    return render(c, { ...shown, status: answerTable[error.code].status }, again, serving);
  }
}

function goOn(c: Context<AppEnv>, { goTo, notice }: Done, session: Session | undefined, { links, notices }: Serving): Response {
  if (notice) c.header("set-cookie", notices.leave(notice, ownerOf(session)), { append: true });
  const to = /^https?:/.test(goTo) ? goTo : links.to(goTo);
  return redirect(c, to, c.req.method === "GET" ? 302 : 303);
}

function render(c: Context<AppEnv>, shown: Shown, visit: Visit, { notices }: Serving): Response {
  const { title, body, status = 200, retryAfter, notice, scripts } = shown;
  if (visit.notice) c.header("set-cookie", notices.gone, { append: true });
  const page = (
    <Layout visit={notice ? { ...visit, notice } : visit} title={title} scripts={scripts}>
      {body}
    </Layout>
  );
  return html(c, `<!doctype html>${page}`, status, retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
}
