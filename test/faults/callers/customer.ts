// A customer's program: it pushes again and again, repeats pushes that have an Idempotency-Key, and records every answer.
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { v7 } from "uuid";
import type { Randomness } from "../randomness.js";
import { fileOf, randomSubmission, type Submission } from "./submissions.js";

export interface Sent {
  readonly submission: Submission;
  /** Its `sourceDetails`, which is unique: the import is found by it, whatever the push was answered. */
  readonly name: string;
  readonly idempotencyKey: string | undefined;
  /** Set once it was answered 202. */
  importId: string | undefined;
  /** The status of every answer; 0 where none came. */
  readonly answers: number[];
  /** Whether a cancellation was answered 200. */
  cancelled: boolean;
}

export interface Customer {
  readonly organisationId: string;
  readonly key: string;
  readonly sent: Sent[];
}

const paths = {
  shipments: { data: "/v1/org/shipments/imports", file: "/v1/org/shipments/imports/file", status: "/v1/org/shipments/imports" },
  activities: { data: "/v1/org/fulfilment/activities", file: "/v1/org/fulfilment/activities/file", status: "/v1/org/fulfilment/imports" },
} as const;

export const statusPath = ({ kind }: Submission, importId: string) => `${paths[kind].status}/${importId}`;

/** The answer, or undefined where the connection broke or no answer came in time: then the outcome is unknown. */
export async function ask(url: string, key: string, path: string, init: RequestInit = {}): Promise<Response | undefined> {
  try {
    const headers = { "x-api-key": key, ...(init.headers as Record<string, string> | undefined) };
    return await fetch(`${url}${path}`, { ...init, headers, signal: init.signal ?? AbortSignal.timeout(20_000) });
  } catch {
    return undefined;
  }
}

export function newPush(submission: Submission, idempotencyKey?: string): Sent {
  return { submission, name: `push ${v7()}`, idempotencyKey, importId: undefined, answers: [], cancelled: false };
}

/** Sends the push once and records the answer in `sent`. */
export async function push(url: string, key: string, sent: Sent): Promise<Response | undefined> {
  const { submission, name, idempotencyKey } = sent;
  const { kind, lane } = submission;
  const headers = { ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}) };
  const answer = await ask(url, key, paths[kind][lane], {
    method: "POST",
    headers: lane === "data" ? { ...headers, "content-type": "application/json" } : headers,
    body: lane === "data" ? JSON.stringify({ [kind]: submission[kind], sourceDetails: name }) : formOf(submission, name),
  });
  const body = await answer?.text().catch(() => undefined); // undefined where the body was cut off: that counts as no answer
  sent.answers.push(body === undefined ? 0 : (answer?.status ?? 0));
  if (answer?.status !== 202 || body === undefined) return answer;
  const { importId } = JSON.parse(body) as { importId: string };
  if (sent.importId !== undefined && sent.importId !== importId) throw new Error(`${name} was taken twice: ${sent.importId}, ${importId}`);
  sent.importId = importId;
  return answer;
}

function formOf(submission: Submission, name: string): FormData {
  const form = new FormData();
  form.append("sourceDetails", name);
  form.append("file", fileOf(submission));
  return form;
}

/** Pushes until `until` aborts. A push with an Idempotency-Key is sent again until it is accepted; one without is sent once. */
export async function keepPushing(url: string, customer: Customer, random: Randomness, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const sent = newPush(randomSubmission(random), random.chance(0.5) ? randomUUID() : undefined);
    customer.sent.push(sent);
    await push(url, customer.key, sent);
    for (let patience = 600; sent.idempotencyKey && sent.importId === undefined && patience > 0; patience -= 1) {
      await pause(200);
      await push(url, customer.key, sent);
    }
    if (sent.idempotencyKey && random.chance(0.3)) await push(url, customer.key, sent); // some clients send an accepted push again
    if (random.chance(0.2)) await cancelOne(url, customer, random);
    await pause(random.number(400), undefined, { signal: until }).catch(() => undefined);
  }
}

async function cancelOne(url: string, customer: Customer, random: Randomness): Promise<void> {
  const sent = random.pick(customer.sent);
  if (sent.importId === undefined) return;
  const answer = await ask(url, customer.key, `${statusPath(sent.submission, sent.importId)}/cancel`, { method: "POST" });
  if (answer?.status === 200) sent.cancelled = true;
  await answer?.text().catch(() => undefined);
}
