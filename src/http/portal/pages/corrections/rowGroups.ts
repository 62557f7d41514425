// Rejected rows counted by reason, and by import.
import { listRejectionGroups, type RejectionGroup } from "../../../../queries/rejectedRows/rejectionGroups.js";
import { groupItems } from "../../groupItems.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import type { Filter } from "./correctionsFilter.js";

export interface GroupedBy {
  /** The reason's key, or the import's id. */
  readonly key: string;
  readonly name: string;
  readonly rows: number;
}

export interface Groups {
  /** Of the import that the filter names, or of all: the most frequent first. */
  readonly reasons: readonly GroupedBy[];
  /** The imports that have such rows, the latest first. */
  readonly imports: readonly GroupedBy[];
  /** There are more groups than were read: the counts are too low. */
  readonly more: boolean;
}

/** Groups of a reason and an import that are read for one page. */
const mostGroups = 1_000;
const mostImports = 100;

export async function readGroups(visit: SignedInVisit, filter: Filter, { pool, signingSecret: secret }: PortalDeps): Promise<Groups> {
  const { kind, state, importId } = filter;
  const read = (only: string | undefined) =>
    listRejectionGroups(
      visit.person.organisationId,
      { kind, state, importId: only },
      { limit: mostGroups, cursor: undefined, secret },
      pool,
    );
  const [all, own] = await Promise.all([read(undefined), importId === undefined ? undefined : read(importId)]);
  const { items, nextCursor } = own ?? all;
  const reasons = grouped(items, ({ reasonKey, reason }) => [reasonKey, reason]).toSorted((one, other) => other.rows - one.rows);
  const imports = grouped(all.items, ({ importId: id, sourceDetails }) => [id, sourceDetails]);
  return { reasons, imports: imports.slice(0, mostImports), more: nextCursor !== null };
}

/** In the order of their first groups. */
function grouped(groups: readonly RejectionGroup[], by: (group: RejectionGroup) => readonly [key: string, name: string]): GroupedBy[] {
  return [...groupItems(groups, (group) => by(group)[0])].map(([key, some]) => ({
    key,
    name: by(some[0])[1],
    rows: some.reduce((sum, { rows }) => sum + rows, 0),
  }));
}
