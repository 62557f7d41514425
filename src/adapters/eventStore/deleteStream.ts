// Deletes a stream for good: a tombstone, so that nothing is ever appended to it again.
import { ANY } from "@eventstore/db-client";
import { StoreUnavailable, StreamDeleted } from "../../portErrors.js";
import type { Connection } from "./connection.js";
import { definiteFailure, isSilence } from "./failures.js";
import { backOff, within } from "./patience.js";

interface Patience {
  readonly deadlineMs: number;
  readonly attempts: number;
}

/** Deleting a stream twice changes nothing, so a delete of unknown outcome is sent again. */
export function streamDeleter(connection: Connection, { deadlineMs, attempts }: Patience): (stream: string) => Promise<void> {
  return async (stream) => {
    const what = `deleting ${stream}`;
    let lastFailure: unknown;
    for (let attempt = 0; attempt < attempts; attempt++) {
      await backOff(attempt);
      const client = connection.client();
      try {
        await within(deadlineMs + 250, what, client.tombstoneStream(stream, { expectedRevision: ANY, deadline: deadlineMs }));
        return;
      } catch (error) {
        const definite = definiteFailure(error, stream, what);
        if (definite instanceof StreamDeleted) return;
        if (definite) throw definite;
        if (isSilence(error)) connection.retire(client);
        lastFailure = error;
      }
    }
    throw new StoreUnavailable("event store", `The event store did not answer ${what} in time`, { cause: lastFailure });
  };
}
