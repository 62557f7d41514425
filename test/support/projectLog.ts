import type pg from "pg";
import { pino } from "pino";
import type { EventStore } from "../../src/ports/eventStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { runProjector } from "../../src/projections/running/runProjector.js";
import { until } from "./readModel.js";

/** Runs a projector until the tables hold everything that is in the log now, then stops it. */
export async function projectLog({ pool, eventStore }: { pool: pg.Pool; eventStore: EventStore }): Promise<void> {
  const head = await eventStore.head();
  const stop = new AbortController();
  const running = runProjector({ pool, eventStore, logger: pino({ level: "silent" }), signal: stop.signal });
  try {
    await until(async () => {
      const { rows } = await pool.query("select count(*)::int as there from checkpoints where commit >= $1", [String(head?.commit)]);
      return rows[0].there === allProjections.length;
    });
  } finally {
    stop.abort();
    await running;
  }
}
