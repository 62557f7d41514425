// src/http/portal/pages/corrections has the page of rejected rows, the answers for its grid, and its forms for browsers without scripts.
import { judgeCorrections } from "../../../../commands/corrections/judgeCorrections.js";
import type { Catalogue } from "../../../../domain/catalogue/catalogue.js";
import { groupedBy } from "../../../../domain/groupedBy.js";
import { dateOrders, needsDateOrder, toIsoDate } from "../../../../domain/imports/columns/dateOrder.js";
import { correctedRows } from "../../../../domain/pushes/correctedFile.js";
import { importNotFound, Rejection } from "../../../../domain/rejection.js";
import { faultyColumns, fieldsAtFault, type RowReason, reasonWithAdvice } from "../../../../domain/rows/faults.js";
import { isUuid } from "../../../../domain/uuid.js";
import { type ImportKind, importKinds } from "../../../../events/importEvents.js";
import { findImportRow } from "../../../../queries/imports/importView.js";
import { type CorrectionRow, listCorrectionRows, type RowFilter } from "../../../../queries/rejectedRows/correctionRows.js";
import type { OpenRowCount } from "../../../../queries/rejectedRows/openRows.js";
import { countRejectedRows, type GroupState, groupStates } from "../../../../queries/rejectedRows/rejectionGroups.js";
import { rejectedRowOutcomes } from "../../../../queries/rejectedRows/rowOutcomes.js";
import type { PageRequest, RowPage } from "../../../../queries/rowPage.js";
import type { ServedRow, Verdict } from "../../browser/corrections/rows.js";
import { oncePerVisit, type PortalDeps, type SignedInVisit } from "../../pageDefinition.js";
import { type Query, withQuery } from "../../shell/markup.js";
import { currentCatalogue } from "../customers.js";

export const correctionsPath = "/portal/corrections";

export type RejectedRowCounts = Awaited<ReturnType<typeof countRejectedRows>>;

/** Counts the rejected rows in each state, of all imports or of the import in the page's address. */
export const rowCounts = oncePerVisit(({ person, query }, { pool }: Pick<PortalDeps, "pool">) =>
  countRejectedRows(person.organisationId, query["import"] || undefined, pool),
);

/** Reads from the page's address which rows the page shows. `reference` is that of the import in the address, if there is one. */
export async function requireRowFilter(visit: SignedInVisit, deps: Pick<PortalDeps, "pool">) {
  const { query, person } = visit;
  const importId = query["import"] || undefined;
  const importRow = isUuid(importId ?? "")
    ? await findImportRow(person.organisationId, { kind: undefined, importId: importId ?? "" }, deps.pool)
    : undefined;
  if (importId !== undefined && !importRow) throw importNotFound();
  const state = groupStates.find((each) => each === query["state"]) ?? "open";
  const reasonKey = /^[0-9a-f]{32}$/.test(query["reason"] ?? "") ? query["reason"] : undefined;
  const kind = importRow?.kind ?? importKinds.find((each) => each === query["kind"]) ?? kindWithRows(state, await rowCounts(visit, deps));
  const filter: RowFilter = { kind, state, importId, reasonKey };
  return { filter, reference: importRow?.sourceDetails };
}

const kindWithRows = (state: GroupState, { shipments, activities }: RejectedRowCounts): ImportKind =>
  !hasRows(shipments[state]) && hasRows(activities[state]) ? "activities" : "shipments";

/** Groups the values `<import id>:<row>,<row>` of a table's checkboxes by import, and drops repeated rows. */
export function rowsByImport(chosen: readonly string[]): [importId: string, rows: number[]][] {
  const rowIds = chosen.flatMap((each) => {
    const [importId = "", numbers = ""] = each.split(":");
    return numbers.split(",").map((text) => ({ importId, row: /^\d{1,10}$/.test(text) ? Number(text) : 0 }));
  });
  if (rowIds.some(({ importId, row }) => !isUuid(importId) || row < 1 || row > 2_147_483_647))
    throw new Rejection("invalid", "The form does not name rows. Go back and select them again");
  const groups = groupedBy(rowIds, ({ importId }) => importId);
  return [...groups].map(([importId, rows]) => [importId, [...new Set(rows.map(({ row }) => row))]]);
}

export const hasRows = ({ rows, atLeast }: OpenRowCount): boolean => rows > 0 || atLeast;

/** The address of the page, or of the answer at `path`, with a filter. Undefined members of the filter are left out. */
export function correctionsPathOf(
  { kind, state, importId, reasonKey }: Partial<RowFilter>,
  more: Query = {},
  path = correctionsPath,
): string {
  return withQuery(path, { kind, state: state === "open" ? undefined : state, import: importId, reason: reasonKey, ...more });
}

/** A row of the grid, with its import's reference. `values` has the values of all fields, including custom fields. */
export type ShownRow = Omit<ServedRow, "dates"> & Pick<CorrectionRow, "reference">;

/** Reads one page of the filter's rows. */
export async function readShownRows(visit: SignedInVisit, filter: RowFilter, page: Omit<PageRequest, "secret">, deps: PortalDeps) {
  const { organisationId } = visit.person;
  const { pool, signingSecret: secret } = deps;
  const { items, nextCursor } = await listCorrectionRows(organisationId, filter, { ...page, secret }, pool);
  const { catalogue } = await currentCatalogue(visit, deps);
  const { kind, state } = filter;
  const isOpen = state === "open";
  const outcomes = isOpen ? [] : await rejectedRowOutcomes(organisationId, items, pool);
  const closures = new Map(outcomes.map(({ importId, row, ...closure }) => [`${importId} ${row}`, closure]));
  const verdicts = isOpen ? await verdictsToday(kind, items, catalogue, deps) : new Map<string, Verdict | null>();
  const { customFieldKeys } = catalogue;
  return {
    items: items.map((item): ShownRow => {
      const { values, lead: _, faults: __, ...shown } = item;
      const key = `${item.importId} ${item.row}`;
      const [verdict, closure] = [verdicts.get(key), closures.get(key)];
      const sources = { kind, customFieldKeys, sentValues: new Map([[item.row, values]]) };
      const [allValues] = correctedRows({ rows: [{ row: item.row, values: {} }] }, sources); // corrects nothing
      return {
        ...shown,
        values: Object.fromEntries(allValues ?? []),
        faulty: faultyColumns(kind, item, customFieldKeys),
        ...(verdict === undefined ? {} : { verdictToday: verdict }),
        ...(closure === undefined ? {} : { closure }),
      };
    }),
    nextCursor,
  };
}

/** How the row's faulty dates read with the day first and with the month first, for dates that do not say which. */
function datesIn({ values, faulty, verdictToday }: Omit<ServedRow, "dates">): Pick<ServedRow, "dates"> {
  const dateFields = [...new Set([...faulty, ...(verdictToday?.faulty ?? [])])].filter((field) => needsDateOrder(values[field] ?? ""));
  const readings = (text: string) => Object.fromEntries(dateOrders.map((order) => [order, toIsoDate(text, order)]));
  return dateFields.length === 0 ? {} : { dates: Object.fromEntries(dateFields.map((field) => [field, readings(values[field] ?? "")])) };
}

/** The page as JSON for the script, with the reference of each import once instead of in every row. */
export const servedPage = ({ items, nextCursor }: RowPage<ShownRow>) => ({
  rows: items.map(({ reference: _, ...row }) => ({ ...row, ...datesIn(row) })),
  references: Object.fromEntries(items.map(({ importId, reference }) => [importId, reference])),
  next: nextCursor,
});

/** Today's verdicts, by import and row; null for a row that would be accepted. */
async function verdictsToday(kind: ImportKind, items: readonly CorrectionRow[], catalogue: Catalogue, deps: PortalDeps) {
  const verdicts = new Map<string, Verdict | null>();
  for (const [importId, sentRows] of groupedBy(items, (item) => item.importId)) {
    const rows = sentRows.map(({ row }) => ({ row, values: {} }));
    const sentValues = new Map(sentRows.map(({ row, values }) => [row, values]));
    for (const [row, reason] of await judgeCorrections({ importId, kind, catalogue, sentValues, names: sentRows, rows }, deps))
      verdicts.set(`${importId} ${row}`, verdictOf(reason));
  }
  return verdicts;
}

export const verdictOf = (reason: RowReason | undefined): Verdict | null =>
  reason === undefined ? null : { reason: reasonWithAdvice(reason), faulty: fieldsAtFault(reason) };
