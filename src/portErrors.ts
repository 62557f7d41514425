// The errors that adapters throw where the caller may have to act on them.
import { getSystemErrorMap } from "node:util";
import type { Position } from "./ports/eventStore.js";

/** The operating system's reason for an error, such as `permission denied`. */
export function systemReason(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return getSystemErrorMap().get(errno ?? 0)?.[1] ?? message;
}

/** Yields an error and then its causes in turn, since a library may have wrapped the original error. */
export function* causesOf(error: unknown): Generator<Error> {
  for (let [cause, depth] = [error, 0]; cause instanceof Error && depth < 10; [cause, depth] = [cause.cause, depth + 1]) yield cause;
}

/**
 * `outage`: passes by itself. `misconfigured`: an operator has to correct the settings or the store's permissions. `absent`: the store
 * answers but has no such bucket; an API process may be about to create it.
 */
export type StoreFault = "outage" | "misconfigured" | "absent";

/** A store did not answer in time or refused access. The request itself is not at fault. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
  constructor(
    readonly store: "event store" | "database" | "object store",
    message: string,
    options?: ErrorOptions & {
      /** The append may have landed. Only the same ids at the same revision may be sent again. */
      outcomeUnknown?: boolean;
      fault?: StoreFault;
    },
  ) {
    super(message, options);
    this.outcomeUnknown = options?.outcomeUnknown ?? false;
    this.fault = options?.fault ?? "outage";
  }
  readonly outcomeUnknown: boolean;
  readonly fault: StoreFault;
}

/** The stream was not at the revision the append was computed for. */
export class WrongVersion extends Error {
  override readonly name = "WrongVersion";
  constructor(
    readonly stream: string,
    readonly expected: bigint,
    /** The stream's last revision; `-1n` when there is no stream. */
    readonly actual: bigint,
  ) {
    super(`stream ${stream} is at revision ${actual}, not at ${expected}`);
  }
}

/** The event log lacks the position where reading has to continue. It is an older copy of the log that was read before, or another log. */
export class LogTooShort extends Error {
  override readonly name = "LogTooShort";
  constructor(position: Position, end: Position | undefined) {
    const finding = end ? `the log ends at position ${end.commit}` : `the log has no event at position ${position.commit}`;
    super(
      `${finding}, and was read up to ${position.commit} already: it is an older copy, or another log; \`projections rebuild\` builds the tables from this one`,
    );
  }
}

export class StreamDeleted extends Error {
  override readonly name = "StreamDeleted";
  constructor(readonly stream: string) {
    super(`stream ${stream} was deleted`);
  }
}

export class AppendTooLarge extends Error {
  override readonly name = "AppendTooLarge";
  constructor(readonly maxBytes: number) {
    super(`an append may carry at most ${maxBytes} bytes`);
  }
}

/** This process already does as much work of this kind as it may do at the same time. The request itself is not at fault. */
export class TooBusy extends Error {
  override readonly name = "TooBusy";
}

export class ObjectMissing extends Error {
  override readonly name = "ObjectMissing";
  constructor(readonly key: string) {
    super(`there is no object ${key}`);
  }
}
