import type { Context } from "hono";
import type { Logger } from "pino";
import { answerError } from "../server/answerError.js";
import type { AppEnv } from "../server/requestFrame.js";
import { html } from "./headers.js";
import { Layout } from "./shell/layout.js";
import type { Visit } from "./visit.js";

const titles: Readonly<Record<number, string>> = {
  400: "That did not work",
  403: "Not allowed",
  404: "Nothing here",
  405: "Not possible here",
  409: "Not at the moment",
  429: "Too many requests",
  503: "Back in a moment",
};

/** The same codes and sentences as the API's answers, for people. */
export function answerWithPage(c: Context<AppEnv>, error: unknown, visit: Visit, logger: Logger): Response {
  const context = { requestId: visit.requestId, method: c.req.method, route: c.get("route") };
  const answer = answerError(error, logger, context);
  const said = "body" in answer ? (answer.body as { message?: string | readonly string[] }).message : undefined;
  const lines = said === undefined ? [] : typeof said === "string" ? [said] : said;
  const title = titles[answer.status] ?? "Something went wrong";
  const page = (
    <Layout visit={visit} title={title}>
      {lines.map((line) => (
        <p>{line}.</p>
      ))}
      <p class="hint">Request {visit.requestId}</p>
      <p>
        <a href={visit.links.to("/portal")}>Go to the overview</a>
      </p>
    </Layout>
  );
  return html(c, `<!doctype html>${page}`, answer.status, answer.headers);
}
