// Finds the columns that the page Columns is about: a draft's, or those of a remembered choice. Also reads the page's form.
import { type ColumnChoice, choosableFields, type FieldSource, fieldTexts } from "../../../../../domain/imports/columns/choice.js";
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
 * `parameter` reads a value from the page's address or from the form that was sent. `earlierChoice` is the remembered choice for these
 * headings. Without a draft, that choice is what the page changes. Throws if the draft or the choice does not exist.
 */
export async function columnsSource(visit: SignedInVisit, deps: PortalDeps, parameter: (name: string) => string) {
  const { organisationId } = visit.person;
  if (visit.params["fileId"] !== undefined) {
    const draft = await requireDraft(visit, deps);
    const { kind, columns, evidence } = draft;
    const headings = fileColumns(columns, evidence);
    const key = headingsKey(headings.map(({ heading }) => heading));
    return { kind, draft, headings, earlierChoice: await rememberedColumns(organisationId, { kind, key }, deps.pool) };
  }
  const kind = importKinds.find((known) => known === parameter("kind"));
  const earlierChoice = kind && (await rememberedColumns(organisationId, { kind, key: parameter("headings") }, deps.pool));
  if (!kind || !earlierChoice) throw new Rejection("notFound", "No columns were chosen for files with these headings. Upload a file first");
  const headings = Object.keys(earlierChoice.headings).sort((one, other) => one.localeCompare(other, "en"));
  return { kind, draft: undefined, earlierChoice, headings: headings.map((heading): FileColumn => ({ heading, values: [], numbers: [] })) };
}

/** The choice that the form begins with: the draft's, else the remembered one for these headings, else suggested fields. */
export async function initialChoice(source: ColumnsSource, { pool }: PortalDeps, organisationId: string, fieldSource: FieldSource) {
  const { headings, earlierChoice, kind, draft } = source;
  if (draft?.checked?.columns) return draft.checked.columns;
  if (earlierChoice) {
    const choice = withKnownFields(earlierChoice, fieldSource);
    return {
      ...choice,
      ...(datesFault(earlierChoice, kind, headings) ? { dateOrder: dateOrderOf(source, earlierChoice)?.order } : {}),
      ...(numbersFault(earlierChoice, kind, headings) ? { decimal: decimalMarkOfFile(earlierChoice, kind, headings)?.decimal } : {}),
    };
  }
  const names = headings.map(({ heading }) => heading);
  const suggested = suggestColumns(names, fieldSource, await lastChoices(organisationId, kind, pool));
  const choice = { headings: Object.fromEntries(names.map((heading) => [heading, suggested.get(heading) ?? null])) };
  return { ...choice, dateOrder: dateOrderOf(source, choice)?.order, decimal: decimalMarkOfFile(choice, kind, headings)?.decimal };
}

/** Drops fields that no longer exist, such as a removed custom field. Their columns must be chosen again. */
function withKnownFields({ headings, fixed = {}, dateOrder, decimal }: ColumnChoice, fieldSource: FieldSource): ColumnChoice {
  const known = new Set(choosableFields(fieldSource).map(({ name }) => name));
  return {
    headings: Object.fromEntries(
      Object.entries(headings).map(([heading, field]) => [heading, field !== null && known.has(field) ? field : null]),
    ),
    fixed: Object.fromEntries(Object.entries(fixed).filter(([field]) => known.has(field))),
    dateOrder,
    decimal,
  };
}

/** The order of dates in the columns chosen for times, or else in any column. Undefined if no value is a date that needs an order. */
export function dateOrderOf({ kind, headings }: ColumnsSource, choice: ColumnChoice): DateOrderFinding | undefined {
  const findingIn = (columns: readonly FileColumn[]) => dateOrderIn(columns.flatMap(({ values }) => values));
  return findingIn(dateColumns(choice, kind, headings)) ?? findingIn(headings);
}

/** The names of the form's inputs. A column's input has its number, because a heading can be any text. */
export const columnInput = (index: number): string => `column-${index}`;
export const fixedValueInput = (field: string): string => `fixed-${field}`;
export const dateOrderInput = "dateOrder";
export const decimalInput = "decimal";

/** Reads the form. A blank input means a column that is not imported, or a field without a fixed value. */
export function readChoice(fields: Fields, { headings }: Pick<ColumnsSource, "headings">, fieldSource: FieldSource): ColumnChoice {
  const choosable = choosableFields(fieldSource);
  const { nameOf } = fieldTexts(choosable);
  const fixed = choosable.flatMap(({ name }) => {
    const value = fields.get(fixedValueInput(name)).trim();
    return value === "" ? [] : [[name, value] as const];
  });
  const dateOrder = dateOrders.find((order) => order === fields.get(dateOrderInput));
  const decimal = decimalMarks.find((known) => known === fields.get(decimalInput));
  return {
    headings: Object.fromEntries(headings.map(({ heading }, index) => [heading, nameOf(fields.get(columnInput(index)).trim()) || null])),
    ...(fixed.length === 0 ? {} : { fixed: Object.fromEntries(fixed) }),
    ...(dateOrder === undefined ? {} : { dateOrder }),
    ...(decimal === undefined ? {} : { decimal }),
  };
}
