// Turns pages, redirects and errors into HTTP responses.
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Logger } from "pino";
import { answerError } from "../server/answerError.js";
import { compressText } from "../server/compress.js";
import type { Answer, AppEnv } from "../server/requestMiddleware.js";
import type { PageContent, Visit } from "./pageDefinition.js";
import { Layout } from "./shell/layout.js";
import { Link, VisitContext } from "./shell/markup.js";

const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** The referrer policy is same-origin, not no-referrer: with the latter a browser sends `Origin: null` with its forms. */
const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
};

/** Renders a page in the layout, with headers that let it load the portal's own files and nothing else. */
export function pageResponse(visit: Visit, content: PageContent, headers: Readonly<Record<string, string>> = {}): Response {
  const { context: c, notice } = visit;
  const page = (
    <VisitContext.Provider value={{ ...visit, notice: content.notice ?? notice }}>
      <Layout content={content} />
    </VisitContext.Provider>
  );
  const status = (content.status ?? 200) as ContentfulStatusCode;
  const { body, headers: encoding } = compressText(c, `<!doctype html>${page}`);
  return c.body(body, status, { ...headers, ...c.get("answerHeaders"), ...pageHeaders, ...encoding });
}

export function redirect(c: Context<AppEnv>, to: string, status: 302 | 303): Response {
  const headers = { ...c.get("answerHeaders"), location: to };
  // htmx asked for a part of a page: this header makes it load the whole page at the new address instead.
  if (c.req.header("hx-request") === "true") return c.body(null, 200, { ...headers, "hx-redirect": to });
  return c.body(null, status, headers);
}

/** The API's answer to an error. */
export const errorAnswer = (c: Context<AppEnv>, error: unknown, logger: Logger): Answer =>
  answerError(error, logger, { requestId: c.get("requestId"), method: c.req.method, route: c.get("route") });

export function messagesOf(answer: Answer): readonly string[] {
  const message = "body" in answer ? (answer.body as { message?: string | readonly string[] }).message : undefined;
  return message === undefined ? [] : typeof message === "string" ? [message] : message;
}

const errorTitles: Readonly<Record<number, string>> = {
  400: "Check what you entered",
  403: "Not allowed",
  404: "Not found",
  405: "Not possible here",
  409: "Not possible now",
  429: "Too many requests",
  503: "Not available right now",
};

/** A page with the status and the messages of the API's answer to the same error. */
export function errorPage(visit: Visit, error: unknown, logger: Logger): Response {
  const answer = errorAnswer(visit.context, error, logger);
  const body = (
    <>
      {messagesOf(answer).map((line) => (
        <p>{line.replace(/\.?$/, ".")}</p>
      ))}
      <p class="hint">Request {visit.requestId}</p>
      <p>
        <Link to="/portal">Go to the overview</Link>
      </p>
    </>
  );
  return pageResponse(visit, { title: errorTitles[answer.status] ?? "Something went wrong", body, status: answer.status }, answer.headers);
}
