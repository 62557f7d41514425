// `projections rebuild` without the command line's own start: all tables anew beside the live ones, compared, and put in place.
import { migrationStatements } from "../../dist/adapters/postgres/migrate.js";
import { allProjections } from "../../dist/projections/allProjections.js";
import { rebuild } from "../../dist/projections/rebuild/rebuild.js";
import { withAdapters } from "../organisations.mjs";
import { asPeer } from "./rows.mjs";

asPeer(async ({ service }) => async () => {
  const { events } = await withAdapters(service, ({ pool, eventStore }) =>
    rebuild({
      ...{ pool, eventStore, logger: console, signal: new AbortController().signal },
      ...{ migrations: migrationStatements(), projections: allProjections },
    }),
  );
  return { rows: events };
});
