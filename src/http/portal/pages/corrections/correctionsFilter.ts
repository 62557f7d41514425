// src/http/portal/pages/corrections: the page of rejected rows, what its grid asks for, and its forms for browsers without scripts.

import { noImport, Rejection } from "../../../../domain/rejection.js";
import { isUuid } from "../../../../domain/uuid.js";
import { type ImportKind, importKinds } from "../../../../events/importEvents.js";
import { findImportRow } from "../../../../queries/imports/importView.js";
import type { OpenRowCount } from "../../../../queries/rejectedRows/openRows.js";
import { countRejectedRows, type GroupState, groupStates } from "../../../../queries/rejectedRows/rejectionGroups.js";
import { groupItems } from "../../groupItems.js";
import { oncePerVisit, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { type Query, withQuery } from "../../shell/parts.js";

export const correctionsPath = "/portal/corrections";

export type Counts = Awaited<ReturnType<typeof countRejectedRows>>;

/** Which rows the page shows, from its address. */
export interface Filter {
  readonly kind: ImportKind;
  readonly state: GroupState;
  readonly importId: string | undefined;
  readonly reasonKey: string | undefined;
}

/** How many rows there are in each state: of all imports, or of the one that the page's address names. */
export const rowCounts = oncePerVisit(({ person, query }, { pool }: Pick<PortalDeps, "pool">) =>
  countRejectedRows(person.organisationId, query["import"] || undefined, pool),
);

/** The filter, and the reference of the import that it names. */
export async function filterIn(visit: SignedInVisit, deps: Pick<PortalDeps, "pool">) {
  const { query, person } = visit;
  const importId = query["import"] || undefined;
  const found = isUuid(importId ?? "")
    ? await findImportRow(person.organisationId, { kind: undefined, importId: importId ?? "" }, deps.pool)
    : undefined;
  if (importId !== undefined && !found) throw noImport();
  const state = groupStates.find((each) => each === query["state"]) ?? "open";
  const reasonKey = /^[0-9a-f]{32}$/.test(query["reason"] ?? "") ? query["reason"] : undefined;
  const kind = found?.kind ?? importKinds.find((each) => each === query["kind"]) ?? kindWithRows(state, await rowCounts(visit, deps));
  const filter: Filter = { kind, state, importId, reasonKey };
  return { filter, reference: found?.sourceDetails };
}

const kindWithRows = (state: GroupState, { shipments, activities }: Counts): ImportKind =>
  !hasRows(shipments[state]) && hasRows(activities[state]) ? "activities" : "shipments";

/** `<import id>:<row>,<row>` as the boxes of a table name rows: the rows of each import, each once. */
export function rowsByImport(chosen: readonly string[]): [importId: string, rows: number[]][] {
  const named = chosen.flatMap((each) => {
    const [importId = "", numbers = ""] = each.split(":");
    return numbers.split(",").map((text) => ({ importId, row: /^\d{1,10}$/.test(text) ? Number(text) : 0 }));
  });
  if (named.some(({ importId, row }) => !isUuid(importId) || row < 1 || row > 2_147_483_647))
    throw new Rejection("invalid", "The form does not name rows. Go back and select them again");
  const groups = groupItems(named, ({ importId }) => importId);
  return [...groups].map(([importId, rows]) => [importId, [...new Set(rows.map(({ row }) => row))]]);
}

export const hasRows = ({ rows, atLeast }: OpenRowCount): boolean => rows > 0 || atLeast;

/** The page's address with another filter; what is undefined is left out. */
export function correctionsPathOf({ kind, state, importId, reasonKey }: Partial<Filter>, more: Query = {}, path = correctionsPath): string {
  return withQuery(path, { kind, state: state === "open" ? undefined : state, import: importId, reason: reasonKey, ...more });
}
