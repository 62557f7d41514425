// The end of `$all`, also the cheapest question that only a working server can answer.

import { StoreUnavailable } from "../../portErrors.js";
import type { Position } from "../../ports.js";
import type { Connection } from "./connection.js";
import { positionOf } from "./conversion.js";
import { definiteFailure } from "./failures.js";
import { within } from "./patience.js";

export type Head = (deadlineMs?: number) => Promise<Position | undefined>;

export function headReader(connection: Connection, defaultDeadlineMs: number): Head {
  return async (deadlineMs = defaultDeadlineMs) => {
    const client = connection.client();
    const source = client.readAll({ direction: "backwards", fromPosition: "end", maxCount: 1, requiresLeader: true });
    const answer = new Promise<Position | undefined>((resolve, reject) => {
      let found: Position | undefined;
      source.on("data", (resolved) => {
        found = positionOf(resolved);
      });
      source.on("error", reject);
      source.on("end", () => resolve(found));
    });
    try {
      return await within(deadlineMs, "reading the end of the log", answer);
    } catch (error) {
      if (error instanceof StoreUnavailable) connection.retire(client);
      if (error instanceof StoreUnavailable) throw error;
      throw (
        definiteFailure(error, "$all", "reading $all") ??
        new StoreUnavailable("event store", "reading the end of the log", { cause: error })
      );
    } finally {
      source.on("error", () => undefined);
      void source
        .cancel()
        .catch(() => undefined)
        .finally(() => source.destroy());
    }
  };
}
