// Appends at an exact revision until the outcome is known. Sending the same ids at the same revision again is always safe:
// what already landed is acknowledged once more, what lost the race is a wrong version.
import type { EventStoreDBClient } from "@eventstore/db-client";
import { StoreUnavailable, WrongVersion } from "../../portErrors.js";
import type { NewEvent, Position, Revision } from "../../ports.js";
import type { Connection } from "./connection.js";
import { toClientEvent } from "./conversion.js";
import { actualRevision, definiteFailure, neverSent } from "./failures.js";
import { backOff, within } from "./patience.js";
import type { ReadStream } from "./readStream.js";

export interface Appended {
  readonly revision: Revision;
  readonly position: Position;
}

interface Appending {
  readonly connection: Connection;
  readonly read: ReadStream;
  readonly credentials: { username: string; password: string } | undefined;
  readonly deadlineMs: number;
  readonly attempts: number;
}

export type Append = (stream: string, events: readonly NewEvent[], expected: Revision) => Promise<Appended>;

export function appender(options: Appending): Append {
  return async (stream, events, expected) => {
    if (events.length === 0) throw new TypeError(`nothing to append to ${stream}`);
    const batch = events.map(toClientEvent);
    let outcomeUnknown = false;
    let lastFailure: unknown;
    for (let attempt = 0; attempt < options.attempts; attempt++) {
      if (attempt > 0) await backOff(attempt);
      const client = options.connection.client();
      try {
        const appended = await send(client, options, stream, batch, expected);
        // An acknowledgement of a resend may carry the server's position of now: look the event up.
        if (outcomeUnknown || !appended.position) return await landed(options, stream, events, expected, appended.revision);
        return { revision: appended.revision, position: appended.position };
      } catch (error) {
        if (error instanceof WrongVersion) throw error;
        const actual = actualRevision(error);
        if (actual !== undefined) {
          try {
            return await landed(options, stream, events, expected, actual);
          } catch (unread) {
            if (!(unread instanceof StoreUnavailable)) throw unread;
            lastFailure = unread;
            continue;
          }
        }
        const definite = definiteFailure(error, stream, `an append to ${stream}`);
        if (definite) throw definite;
        if (!neverSent(error)) outcomeUnknown = true;
        if (isSilence(error)) options.connection.retire(client);
        lastFailure = error;
      }
    }
    throw new StoreUnavailable("event store", `appending to ${stream} failed ${options.attempts} times`, {
      cause: lastFailure,
      outcomeUnknown,
    });
  };
}

async function send(
  client: EventStoreDBClient,
  { credentials, deadlineMs }: Appending,
  stream: string,
  batch: ReturnType<typeof toClientEvent>[],
  expected: Revision,
): Promise<{ revision: Revision; position: Position | undefined }> {
  const sent = client.appendToStream(stream, batch, {
    expectedRevision: expected === -1n ? "no_stream" : expected,
    requiresLeader: true,
    deadline: deadlineMs,
    ...(credentials ? { credentials } : {}),
  });
  // The client may also wait without end for a channel or its server's features, which its deadline does not cover.
  const result = await within(deadlineMs + 250, `an append to ${stream}`, sent);
  return { revision: result.nextExpectedRevision, position: result.position };
}

/** Our events stand where we wanted them: success, whoever's attempt it was. Anything else there: wrong version. */
async function landed(
  options: Appending,
  stream: string,
  events: readonly NewEvent[],
  expected: Revision,
  actual: Revision,
): Promise<Appended> {
  let matched = 0;
  let last: Appended | undefined;
  for await (const event of options.read(stream, { from: expected + 1n, max: events.length })) {
    if (event.revision !== expected + 1n + BigInt(matched) || event.id !== events[matched]?.id) break;
    matched += 1;
    last = { revision: event.revision, position: event.position };
  }
  if (last && matched === events.length) return last;
  throw new WrongVersion(stream, expected, actual);
}

function isSilence(error: unknown): boolean {
  return error instanceof StoreUnavailable || (error as { type?: string }).type === "deadline-exceeded";
}
