// What the application needs to post to a customer's address.
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Asked of the address that is connected to, before anything is sent; answers why not, or undefined. */
  readonly whyNot: (address: string) => string | undefined;
  readonly signal: AbortSignal;
}

/** `reason` says why there is no usable answer; a status alone is the receiver's word. */
export interface WebhookAnswer {
  readonly status: number | null;
  readonly reason: string | null;
  /** The beginning of what was answered. */
  readonly answer: string | null;
  readonly milliseconds: number;
}

/** Posts once: no redirects, an end to everything that is waited for or read. Never throws. */
export type PostWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>;
