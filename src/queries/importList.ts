import { once } from "node:events";
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
      const waiting = await notYetProjected(organisationId, kind, { before, count }, sources);
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
      const missing = waiting.filter(({ view }) => !known.has(view.importId));
      const listed = [...rows.map((row): Listed => ({ position: row.position, view: viewOf(row) })), ...missing];
      return listed.toSorted((one, other) => Number(other.position - one.position)).slice(0, count);
    },
    { placeOf: ({ position }) => [String(position)], itemOf: ({ view }) => view },
  );
}

interface Stretch {
  readonly before: bigint | undefined;
  readonly count: number;
}

/** A working event store has answered by then; for one that does not the caller is not kept waiting. */
const patienceMs = 1_500;
/** While no projector runs, the whole queue waits here. */
const atOnce = 20;

/** Pushed just now: in the queue and in its stream, and on its way to the table. Newest first, and no more than the page can show. */
async function notYetProjected(organisationId: string, kind: ImportKind, { before, count }: Stretch, sources: Sources): Promise<Listed[]> {
  const { rows } = await sources.pool.query<{ importId: string; position: string }>(
    `select import_id as "importId", position from import_queue q
      where organisation_id = $1 and position is not null and ($2::bigint is null or position < $2)
        and not exists (select from imports i where i.import_id = q.import_id)
      order by position desc`,
    [organisationId, before ?? null],
  );
  if (rows.length === 0) return [];
  const found: Listed[] = [];
  const late = AbortSignal.timeout(patienceMs);
  const nothing = once(late, "abort").then(() => []);
  for (let from = 0; from < rows.length && found.length < count && !late.aborted; from += atOnce) {
    const some = rows.slice(from, from + atOnce);
    const views = Promise.all(some.map(({ importId }) => importStatus(organisationId, { kind, importId }, sources)));
    const known = await Promise.race([views, nothing]).catch(whatTheTableKnows);
    found.push(...known.flatMap((view, index) => (view ? [{ position: BigInt(some[index]?.position ?? 0), view }] : [])));
  }
  return found;
}

/** It is old, but true. */
function whatTheTableKnows(error: unknown): [] {
  if (error instanceof StoreUnavailable) return [];
  throw error;
}
