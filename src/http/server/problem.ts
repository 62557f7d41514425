import type { RejectionCode } from "../../domain/rejection.js";

/** The status and its name for each error code. `RejectionCode` lists the codes of the domain's Rejections; the others are of Problems. */
export const answerTable = {
  invalid: { status: 400, error: "Bad Request" },
  queueFull: { status: 400, error: "Bad Request" },
  unauthorised: { status: 401, error: "Unauthorized" },
  forbidden: { status: 403, error: "Forbidden" },
  notFound: { status: 404, error: "Not Found" },
  methodNotAllowed: { status: 405, error: "Method Not Allowed" },
  requestTimeout: { status: 408, error: "Request Timeout" },
  conflict: { status: 409, error: "Conflict" },
  tooLarge: { status: 413, error: "Payload Too Large" },
  unsupportedMediaType: { status: 415, error: "Unsupported Media Type" },
  expectationFailed: { status: 417, error: "Expectation Failed" },
  unprocessable: { status: 422, error: "Unprocessable Entity" },
  rateLimited: { status: 429, error: "Too Many Requests" },
  headersTooLarge: { status: 431, error: "Request Header Fields Too Large" },
  left: { status: 499, error: "Client Closed Request" }, // only in the log and the metrics, since the client has left
  internal: { status: 500, error: "Internal Server Error" },
  unavailable: { status: 503, error: "Service Unavailable" },
} satisfies Readonly<Record<string, { status: number; error: string }>>;

/** An error that only HTTP knows. `extra.body` replaces the usual body; `extra.cause` is logged if the code is `unavailable`. */
export class Problem extends Error {
  override readonly name = "Problem";

  constructor(
    readonly code: Exclude<keyof typeof answerTable, RejectionCode>,
    message: string,
    readonly extra: { headers?: Readonly<Record<string, string>>; body?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, { cause: extra.cause });
  }
}
