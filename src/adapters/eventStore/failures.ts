// src/adapters holds the vendors' clients behind the interfaces of src/ports. In src, only this folder knows `@eventstore/db-client`. Its
// callers handle the errors of src/portErrors.ts instead of the client's own. This file classifies what the client throws: errors of
// its own classes, gRPC errors without a type, and sometimes a string.
import { ErrorType } from "@eventstore/db-client";
import { AppendTooLarge, StoreUnavailable, StreamDeleted } from "../../portErrors.js";
import { isTlsFault, plainTlsReason } from "../tlsFaults.js";
import { hasErrorText } from "./vendor.js";

interface ClientFailure {
  type?: string;
  code?: number;
  details?: string;
  message?: string;
  actualVersion?: bigint | "no_stream";
  maxAppendSize?: number;
}

const codes = { invalidArgument: 3, resourceExhausted: 8, aborted: 10, unauthenticated: 16, permissionDenied: 7 } as const;
export const defaultMaxAppendBytes = 1024 * 1024;

const failureOf = (error: unknown): ClientFailure =>
  typeof error === "object" && error !== null ? (error as ClientFailure) : { message: String(error) };

/** The stream's revision, if the failure is a wrong version; undefined for any other failure. */
export function actualRevision(error: unknown): bigint | undefined {
  const failure = failureOf(error);
  if (failure.type !== ErrorType.WRONG_EXPECTED_VERSION) return undefined;
  return typeof failure.actualVersion === "bigint" ? failure.actualVersion : -1n;
}

/** The server ended a live subscription that could not keep up. It happens under load. The caller can subscribe again immediately. */
export function isTooSlow(error: unknown): boolean {
  const failure = failureOf(error);
  return failure.type === ErrorType.TIMEOUT || failure.code === codes.aborted;
}

/** Thrown for an append whose time ran out while it waited for a connection. */
export class NeverSent extends Error {
  constructor() {
    super("No connection to the event store in time");
  }
}

/** A call that needs the leader reached another node. The client's next call goes to the leader that the answer names. */
export const isNotLeader = (error: unknown): boolean => failureOf(error).type === ErrorType.NOT_LEADER;

/** Whether the append was certainly not sent, since there was no connection. */
export const wasNeverSent = (error: unknown): boolean => error instanceof NeverSent || hasErrorText("neverConnected", failureOf(error));

/** The log has no event at the position to read from, so the position comes from another log. */
export const isForeignPosition = (error: unknown): boolean => hasErrorText("foreignPosition", failureOf(error));

/** The error to throw for a failure that a retry cannot solve; undefined for a failure that is worth a retry. */
export function definiteFailure(error: unknown, stream: string, task: string): Error | undefined {
  const failure = failureOf(error);
  if (failure.type === ErrorType.STREAM_DELETED) return new StreamDeleted(stream);
  if (failure.type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED) return new AppendTooLarge(failure.maxAppendSize ?? defaultMaxAppendBytes);
  // gRPC's code also means "too many cancelled calls", which passes by itself. Only the text tells them apart.
  if (failure.code === codes.resourceExhausted && hasErrorText("messageTooLarge", failure)) {
    return new AppendTooLarge(defaultMaxAppendBytes);
  }
  if (failure.type === ErrorType.ACCESS_DENIED || failure.code === codes.permissionDenied || failure.code === codes.unauthenticated) {
    const message = `The event store cannot be used: ${task} was refused. Check the user and password in EVENTSTORE_URL.`;
    return new StoreUnavailable("event store", message, { cause: error, fault: "misconfigured" });
  }
  if (isTlsFault(error)) {
    const message = `The event store cannot be used: ${causeOf(error)}. ${tlsAdvice}`;
    return new StoreUnavailable("event store", message, { cause: error, fault: "misconfigured" });
  }
  if (failure.code === codes.invalidArgument || error instanceof TypeError) return error as Error;
  return undefined;
}

const tlsAdvice =
  "Check the address and tls in EVENTSTORE_URL; tlsCaFile in it, or NODE_EXTRA_CA_CERTS, names a file with the certificates of another authority to trust.";

/** The reason within the client's longer message, such as `connect ECONNREFUSED 127.0.0.1:2113`. */
export function causeOf(error: unknown): string {
  const { details, message = "no reason was given" } = failureOf(error);
  const text = details || message;
  const [, last = ""] = text.split("Last error: ", 2);
  const [reason = "", ...note] = last.split("Resolution note", 2);
  return plainTlsReason(note.length > 0 ? reason.trim().replaceAll(/^Error: |\.$/g, "") : text.trim());
}

/** No answer came, or the connection is overloaded: the next attempt needs a new connection. */
export function isSilence(error: unknown): boolean {
  const { type, code } = failureOf(error);
  return error instanceof StoreUnavailable || type === ErrorType.DEADLINE_EXCEEDED || code === codes.resourceExhausted;
}
