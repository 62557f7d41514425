import { judgeCorrections } from "../../../../commands/corrections/judgeCorrections.js";
import type { Catalogue } from "../../../../domain/catalogue/catalogue.js";
import { dateOrders, isoDate, needsOrder } from "../../../../domain/imports/columns/dateOrder.js";
import { columnsOf, customFieldPrefix, isNumber } from "../../../../domain/imports/fields.js";
import { correctedRows } from "../../../../domain/pushes/correctedFile.js";
import { faultyColumns, fieldsAtFault, type RowReason, reasonWithAdvice } from "../../../../domain/rows/faults.js";
import type { ImportKind } from "../../../../events/importEvents.js";
import type { Page } from "../../../../queries/page.js";
import { type CorrectionRow, listCorrectionRows } from "../../../../queries/rejectedRows/correctionRows.js";
import { rejectedRowOutcomes } from "../../../../queries/rejectedRows/rowOutcomes.js";
import type { Column, SentRow, Verdict } from "../../browser/corrections/rows.js";
import { groupItems } from "../../groupItems.js";
import type { PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { presentCatalogue } from "../customers.js";
import type { Filter } from "./correctionsFilter.js";

/** A row as the grid has it, with the name of its import. Values are by field, also those of custom fields. */
export type ShownRow = Omit<SentRow, "dates"> & Pick<CorrectionRow, "reference">;

export function gridColumns(kind: ImportKind, { file }: Catalogue): Column[] {
  const own = columnsOf(kind).map(({ name, heading, required, type }) => ({
    name,
    heading,
    required: required !== false,
    time: type === "time",
    number: isNumber({ type }),
  }));
  const plain = { required: false, time: false, number: false };
  const custom = kind === "shipments" ? (file.customFields ?? []) : [];
  return [...own, ...custom.map(({ key, label = key }) => ({ name: customFieldPrefix + key, heading: label, ...plain }))];
}

/** One page of the rows that a filter asks for. */
export async function shownRows(
  visit: SignedInVisit,
  filter: Filter,
  { limit, cursor }: { readonly limit: number; readonly cursor: string | undefined },
  deps: PortalDeps,
): Promise<Page<ShownRow>> {
  const { organisationId } = visit.person;
  const { pool, signingSecret: secret } = deps;
  const { items, nextCursor } = await listCorrectionRows(organisationId, filter, { limit, cursor, secret }, pool);
  const { catalogue } = await presentCatalogue(visit, deps);
  const { kind, state } = filter;
  const isOpen = state === "open";
  const outcomes = isOpen ? [] : await rejectedRowOutcomes(organisationId, items, pool);
  const closures = new Map(outcomes.map(({ importId, row, ...closure }) => [`${importId} ${row}`, closure]));
  const verdicts = isOpen ? await verdictsToday(kind, items, catalogue, deps) : new Map<string, Verdict | null>();
  const { customFieldKeys } = catalogue;
  return {
    items: items.map((item) => {
      const { values, lead: _, faults: __, ...shown } = item;
      const key = `${item.importId} ${item.row}`;
      const [verdict, closure] = [verdicts.get(key), closures.get(key)];
      const sources = { kind, customFieldKeys, sent: new Map([[item.row, values]]) };
      const [fields] = correctedRows({ rows: [{ row: item.row, values: {} }] }, sources);
      return {
        ...shown,
        values: Object.fromEntries(fields ?? []),
        faulty: faultyColumns(kind, item, customFieldKeys),
        ...(verdict === undefined ? {} : { today: verdict }),
        ...(closure === undefined ? {} : { closure }),
      };
    }),
    nextCursor,
  };
}

function datesIn({ values, faulty, today }: Omit<SentRow, "dates">): Pick<SentRow, "dates"> {
  const found = [...new Set([...faulty, ...(today?.faulty ?? [])])].filter((field) => needsOrder(values[field] ?? ""));
  const read = (text: string) => Object.fromEntries(dateOrders.map((order) => [order, isoDate(text, order)]));
  return found.length === 0 ? {} : { dates: Object.fromEntries(found.map((field) => [field, read(values[field] ?? "")])) };
}

/** As the script takes it: the name of an import once, not in each of its rows. */
export const sentPage = ({ items, nextCursor }: Page<ShownRow>) => ({
  rows: items.map(({ reference: _, ...row }) => ({ ...row, ...datesIn(row) })),
  references: Object.fromEntries(items.map(({ importId, reference }) => [importId, reference])),
  next: nextCursor,
});

/** By import and row. */
async function verdictsToday(
  kind: ImportKind,
  items: readonly CorrectionRow[],
  catalogue: Catalogue,
  deps: PortalDeps,
): Promise<Map<string, Verdict | null>> {
  const verdicts = new Map<string, Verdict | null>();
  for (const [importId, names] of groupItems(items, (item) => item.importId)) {
    const rows = names.map(({ row }) => ({ row, values: {} }));
    const sent = new Map(names.map(({ row, values }) => [row, values]));
    for (const [row, reason] of await judgeCorrections({ importId, kind, catalogue, sent, names, rows }, deps))
      verdicts.set(`${importId} ${row}`, verdictOf(reason));
  }
  return verdicts;
}

export const verdictOf = (found: RowReason | undefined): Verdict | null =>
  found === undefined ? null : { reason: reasonWithAdvice(found), faulty: fieldsAtFault(found) };
