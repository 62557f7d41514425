// Everything that the client throws. Each class is a kind of trouble that a caller may want to treat in its own way.

export interface ErrorDetails {
  /** The HTTP status; absent where no answer came. */
  readonly status?: number;
  /** One text for each fault that was found. */
  readonly messages?: readonly string[];
  /** The `x-request-id` of the answer: name it when you report a problem. */
  readonly requestId?: string;
  /** Seconds after which the service wants to be asked again. */
  readonly retryAfter?: number;
  /** The key of a push whose outcome may be unknown: push again with it, and no second import is made. */
  readonly idempotencyKey?: string;
  readonly cause?: unknown;
}

export class WaybillError extends Error {
  readonly status: number | undefined;
  readonly messages: readonly string[];
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  readonly idempotencyKey: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.name = new.target.name;
    this.status = details.status;
    this.messages = details.messages ?? [message];
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.idempotencyKey = details.idempotencyKey;
  }
}

/** 400: the request has to be changed. */
export class InvalidRequestError extends WaybillError {}
/** 401: the key is missing, unknown or revoked. */
export class UnauthorisedError extends WaybillError {}
/** 403: the key does not have the scope that the call needs, or something that the request names is not the organisation's. */
export class ForbiddenError extends WaybillError {}
export class NotFoundError extends WaybillError {}
/** 409: the import or the row is not in a state that allows this. */
export class ConflictError extends WaybillError {}
/** 413: the file or the body is too large. */
export class TooLargeError extends WaybillError {}
/** 422: the idempotency key was used before, with another body. */
export class IdempotencyKeyReusedError extends WaybillError {}
/** 429: the key's requests of this minute are used up. */
export class RateLimitedError extends WaybillError {}
/** 408, 502, 503, 504: the service cannot answer at the moment. The outcome of a push is not known. */
export class UnavailableError extends WaybillError {}
/** 500: a fault of the service. */
export class ServerError extends WaybillError {}
/** No answer came: the connection failed or broke, or the time was up. The outcome of a push is not known. */
export class ConnectionError extends WaybillError {}
/** The import had not ended when the time to wait for it was up. It goes on. */
export class WaitTimeoutError extends WaybillError {}
/** A webhook's message is not signed by the service, or is too old. */
export class WebhookVerificationError extends WaybillError {}

const classes: Readonly<Record<number, typeof WaybillError>> = {
  400: InvalidRequestError,
  401: UnauthorisedError,
  403: ForbiddenError,
  404: NotFoundError,
  408: UnavailableError,
  409: ConflictError,
  413: TooLargeError,
  422: IdempotencyKeyReusedError,
  429: RateLimitedError,
  502: UnavailableError,
  503: UnavailableError,
  504: UnavailableError,
};

export function errorOf(response: Response, body: unknown, idempotencyKey: string | undefined): WaybillError {
  const { status, headers } = response;
  const messages = messagesOf(body) ?? [`The service answered ${status}`];
  const requestId = headers.get("x-request-id");
  const retryAfter = secondsOf(headers.get("retry-after"));
  const Kind = classes[status] ?? (status >= 500 ? ServerError : WaybillError);
  return new Kind(messages.join("; "), {
    ...{ status, messages },
    ...(requestId === null ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
}

function messagesOf(body: unknown): string[] | undefined {
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : undefined;
  if (typeof message === "string") return [message];
  return Array.isArray(message) && message.length > 0 ? message.map(String) : undefined;
}

/** Seconds or a date, as HTTP allows both: a proxy in between may send either. */
function secondsOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
