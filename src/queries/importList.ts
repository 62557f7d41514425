import { and, desc, eq, lt } from "drizzle-orm";
import type { Pool } from "pg";
import type { ImportKind } from "../events/importEvents.js";
import { StoreUnavailable } from "../portErrors.js";
import type { EventStore } from "../ports.js";
import { imports } from "../projections/tables/imports.js";
import { importStatus } from "./importStatus.js";
import { type ImportView, selectImports, viewOf } from "./importView.js";
import { type Page, type PageRequest, readPage } from "./page.js";

interface Sources {
  readonly pool: Pool;
  readonly eventStore: EventStore;
}

interface Listed {
  readonly position: bigint;
  readonly view: ImportView;
}

/** Newest first. */
export function listImports(organisationId: string, kind: ImportKind, page: PageRequest, sources: Sources): Promise<Page<ImportView>> {
  return readPage(
    page,
    ["imports", organisationId, kind],
    async (after, count) => {
      const before = after?.[0] === undefined ? undefined : BigInt(after[0]);
      // These first: what reaches the table in between is then found in both, and told once.
      const waiting = await notYetProjected(organisationId, kind, sources);
      const rows = await selectImports(sources.pool)
        .where(
          and(
            eq(imports.organisationId, organisationId),
            eq(imports.kind, kind),
            before === undefined ? undefined : lt(imports.position, before),
          ),
        )
        .orderBy(desc(imports.position))
        .limit(count);
      const known = new Set(rows.map(({ importId }) => importId));
      const missing = waiting.filter(({ position, view }) => !known.has(view.importId) && (before === undefined || position < before));
      const listed = [...rows.map((row): Listed => ({ position: row.position, view: viewOf(row) })), ...missing];
      return listed.toSorted((one, other) => Number(other.position - one.position)).slice(0, count);
    },
    { placeOf: ({ position }) => [String(position)], itemOf: ({ view }) => view },
  );
}

/** Pushed just now: in the queue and in its stream, and on its way to the table. Few, since the queue is short. */
async function notYetProjected(organisationId: string, kind: ImportKind, sources: Sources): Promise<Listed[]> {
  const { rows } = await sources.pool.query<{ importId: string; position: string }>(
    `select import_id as "importId", position from import_queue q
      where organisation_id = $1 and position is not null and not exists (select from imports i where i.import_id = q.import_id)`,
    [organisationId],
  );
  try {
    const views = await Promise.all(rows.map(({ importId }) => importStatus(organisationId, { kind, importId }, sources)));
    return views.flatMap((view, index) => (view ? [{ position: BigInt(rows[index]?.position ?? 0), view }] : []));
  } catch (error) {
    if (error instanceof StoreUnavailable) return []; // what the table knows is old, but true
    throw error;
  }
}
