// The answer of a handler, and how it is sent.
import type { Context } from "hono";
import type { AppEnv } from "./requestFrame.js";

/** `json`: the body is JSON text already. */
export type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
} & ({ readonly body: unknown } | { readonly json: string });

export function send(c: Context<AppEnv>, answer: Answer): Response {
  const headers = { ...c.get("answerHeaders"), "content-type": "application/json", ...answer.headers };
  const text = "json" in answer ? answer.json : JSON.stringify(answer.body);
  return new Response(text, { status: answer.status, headers });
}
