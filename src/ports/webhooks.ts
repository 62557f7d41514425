// What the application needs to post to a customer's endpoint.
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Called with an IP address before anything is sent to it. Returns why nothing may be sent there, or undefined. */
  readonly refusalReason: (address: string) => string | undefined;
  readonly signal: AbortSignal;
}

/** `reason` says why the attempt failed; it is null after a 2xx answer. `status` and `answer` are null when no answer came. */
export interface WebhookAnswer {
  readonly status: number | null;
  readonly reason: string | null;
  /** The beginning of the answer's body. */
  readonly answer: string | null;
  readonly milliseconds: number;
}

/** Sends one request and follows no redirects. Every wait has a time limit, and every read a size limit. Never throws. */
export type PostWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>;
