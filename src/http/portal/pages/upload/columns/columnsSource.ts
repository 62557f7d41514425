// Whose columns the page is about: a file that waits, or files with headings that were chosen before; and what its form chooses.
import { type ChoosableFields, type ColumnChoice, choosableFields, fieldTexts } from "../../../../../domain/imports/columns/choice.js";
import { type DateOrderFinding, dateOrderIn, dateOrders } from "../../../../../domain/imports/columns/dateOrder.js";
import { decimalMarks } from "../../../../../domain/imports/columns/decimal.js";
import {
  dateColumns,
  datesFault,
  decimalMarkOfFile,
  type FileColumn,
  fileColumns,
  numbersFault,
} from "../../../../../domain/imports/columns/evidence.js";
import { headingsKey } from "../../../../../domain/imports/columns/headings.js";
import { suggestColumns } from "../../../../../domain/imports/columns/suggest.js";
import { Rejection } from "../../../../../domain/rejection.js";
import { importKinds } from "../../../../../events/importEvents.js";
import { lastChoices, rememberedColumns } from "../../../../../queries/organisations/columnChoices.js";
import type { Fields } from "../../../fields.js";
import type { PortalDeps, SignedInVisit } from "../../../pageDefinition.js";
import { requireDraft } from "../drafts.js";

export type ColumnsSource = Awaited<ReturnType<typeof columnsSource>>;

/**
 * `given`: the page's address, or the form that was sent. Throws where there is no such file, and no such choice. `earlierChoice`: what was chosen
 * for these headings before. Without a draft only that is changed.
 */
export async function columnsSource(visit: SignedInVisit, deps: PortalDeps, given: (name: string) => string) {
  const { organisationId } = visit.person;
  if (visit.params["fileId"] !== undefined) {
    const draft = await requireDraft(visit, deps);
    const { kind, columns, evidence } = draft;
    const headings = fileColumns(columns, evidence);
    const key = headingsKey(headings.map(({ heading }) => heading));
    return { kind, draft, headings, earlierChoice: await rememberedColumns(organisationId, { kind, key }, deps.pool) };
  }
  const kind = importKinds.find((known) => known === given("kind"));
  const earlierChoice = kind && (await rememberedColumns(organisationId, { kind, key: given("headings") }, deps.pool));
  if (!kind || !earlierChoice) throw new Rejection("notFound", "No columns were chosen for files with these headings. Upload a file first");
  const headings = Object.keys(earlierChoice.headings).sort((one, other) => one.localeCompare(other, "en"));
  return { kind, draft: undefined, earlierChoice, headings: headings.map((heading): FileColumn => ({ heading, values: [], numbers: [] })) };
}

/** What the page begins with: what was chosen for this file or these headings, else what they probably mean. */
export async function firstChoice(source: ColumnsSource, { pool }: PortalDeps, organisationId: string, of: ChoosableFields) {
  const { headings, earlierChoice, kind, draft } = source;
  if (draft?.checked?.columns) return draft.checked.columns;
  if (earlierChoice) {
    const choice = withKnownFields(earlierChoice, of);
    return {
      ...choice,
      ...(datesFault(earlierChoice, kind, headings) ? { dateOrder: orderOf(source, earlierChoice)?.order } : {}),
      ...(numbersFault(earlierChoice, kind, headings) ? { decimal: decimalMarkOfFile(earlierChoice, kind, headings)?.decimal } : {}),
    };
  }
  const names = headings.map(({ heading }) => heading);
  const suggested = suggestColumns(names, of, await lastChoices(organisationId, kind, pool));
  const choice = { headings: Object.fromEntries(names.map((heading) => [heading, suggested.get(heading) ?? null])) };
  return { ...choice, dateOrder: orderOf(source, choice)?.order, decimal: decimalMarkOfFile(choice, kind, headings)?.decimal };
}

/** The catalogue may have lost a custom field since: its column is to be chosen anew. */
function withKnownFields({ headings, fixed = {}, dateOrder, decimal }: ColumnChoice, of: ChoosableFields): ColumnChoice {
  const known = new Set(choosableFields(of).map(({ name }) => name));
  return {
    headings: Object.fromEntries(
      Object.entries(headings).map(([heading, field]) => [heading, field !== null && known.has(field) ? field : null]),
    ),
    fixed: Object.fromEntries(Object.entries(fixed).filter(([field]) => known.has(field))),
    dateOrder,
    decimal,
  };
}

/** What the dates say about their order in the columns that are taken for times, else in any. Undefined where none is of such a form. */
export function orderOf({ kind, headings }: ColumnsSource, choice: ColumnChoice): DateOrderFinding | undefined {
  const found = (some: readonly FileColumn[]) => dateOrderIn(some.flatMap(({ values }) => values));
  return found(dateColumns(choice, kind, headings)) ?? found(headings);
}

/** The names of the form's fields. A column has its number, since a heading may be anything. */
export const columnField = (index: number): string => `column-${index}`;
export const fixedField = (field: string): string => `fixed-${field}`;
export const orderField = "dateOrder";
export const decimalField = "decimal";

/** Reads the form. A blank is a column that is left out, or a field without a fixed value. */
export function readChoice(fields: Fields, { headings }: Pick<ColumnsSource, "headings">, of: ChoosableFields): ColumnChoice {
  const choosable = choosableFields(of);
  const { nameOf } = fieldTexts(choosable);
  const fixed = choosable.flatMap(({ name }) => {
    const value = fields.get(fixedField(name)).trim();
    return value === "" ? [] : [[name, value] as const];
  });
  const dateOrder = dateOrders.find((order) => order === fields.get(orderField));
  const decimal = decimalMarks.find((known) => known === fields.get(decimalField));
  return {
    headings: Object.fromEntries(headings.map(({ heading }, index) => [heading, nameOf(fields.get(columnField(index)).trim()) || null])),
    ...(fixed.length === 0 ? {} : { fixed: Object.fromEntries(fixed) }),
    ...(dateOrder === undefined ? {} : { dateOrder }),
    ...(decimal === undefined ? {} : { decimal }),
  };
}
