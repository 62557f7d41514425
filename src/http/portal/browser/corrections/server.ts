// Asks the server, with the token of the page's session.
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

/** Whether it may help to try again: the server did not answer, or could not at the moment. */
export const isPassing = (error: unknown): boolean => !(error instanceof RequestRefused) || error.status >= 500;

const attempts = 5;
const waitMs = 1_000;

export async function askServerAgain<Answer>(address: string, body?: unknown): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await askServer<Answer>(address, body);
    } catch (error) {
      if (!isPassing(error) || attempt === attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, waitMs * attempt));
    }
  }
}

/** Throws `RequestRefused` for an answer that is a refusal, and whatever `fetch` throws where none came. */
export async function askServer<Answer>(address: string, body?: unknown): Promise<Answer> {
  const token = document.querySelector<HTMLMetaElement>('meta[name="form-token"]')?.content ?? "";
  const headers = { accept: "application/json", "content-type": "application/json", "x-form-token": token };
  const response = await fetch(address, body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) });
  const answer = (await response.json().catch(() => ({}))) as Answer & Refusal;
  if (response.ok) return answer;
  const { message = "Something went wrong. Try again.", closed = [] } = answer;
  throw new RequestRefused(response.status, typeof message === "string" ? message : message.join(" "), closed);
}
