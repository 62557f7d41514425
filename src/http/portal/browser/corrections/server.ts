// Sends requests to the server, with the form token of the page.
import type { ClosedRow } from "./rows.js";

export class RequestRefused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly closed: readonly ClosedRow[],
  ) {
    super(message);
  }
}

interface Refusal {
  readonly message?: string | readonly string[];
  readonly closed?: readonly ClosedRow[];
}

/** Whether another attempt may succeed: the server did not answer, or answered with an error of its own. */
export const isTemporary = (error: unknown): boolean => !(error instanceof RequestRefused) || error.status >= 500;

const maxAttempts = 5;
const waitMs = 1_000;

export async function askServerWithRetries<Answer>(address: string, body?: unknown): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await askServer<Answer>(address, body);
    } catch (error) {
      if (!isTemporary(error) || attempt === maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs * attempt));
    }
  }
}

/** Throws `RequestRefused` for an answer with an error status, and the error of `fetch` if no answer came. */
export async function askServer<Answer>(address: string, body?: unknown): Promise<Answer> {
  const token = document.querySelector<HTMLMetaElement>('meta[name="form-token"]')?.content ?? "";
  const headers = { accept: "application/json", "content-type": "application/json", "x-form-token": token };
  const response = await fetch(address, body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) });
  const answer = (await response.json().catch(() => ({}))) as Answer & Refusal;
  if (response.ok) return answer;
  const { message = "Something went wrong. Try again.", closed = [] } = answer;
  throw new RequestRefused(response.status, typeof message === "string" ? message : message.join(" "), closed);
}
