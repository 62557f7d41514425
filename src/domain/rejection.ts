// src/domain holds pure rules: nothing here reads a clock, a file or a socket, or imports another folder of src.
// A Rejection is the one error the domain throws: what the caller asked for cannot be done, and the sentence says what to do.
export type RejectionCode =
  | "invalid" // 400: the request itself is wrong
  | "forbidden" // 403
  | "notFound" // 404
  | "conflict" // 409: right request, wrong moment
  | "tooLarge" // 413
  | "unprocessable" // 422: such as an Idempotency-Key used for something else
  | "queueFull"; // 400 by contract: too many imports already queued

export class Rejection extends Error {
  override readonly name = "Rejection";

  /** `details` are path-first sentences for a body with several faults; a single fault is the message alone. */
  constructor(
    readonly code: RejectionCode,
    message: string,
    readonly details?: readonly string[],
  ) {
    super(message);
  }
}

/** One answer for an unknown id, another organisation's import and an import of the other kind, so that it does not tell which. */
export const importNotFound = () => new Rejection("notFound", "There is no import with this id");
