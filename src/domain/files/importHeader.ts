import { columnsOf, elementColumn } from "../imports/fields.js";
import { type HeaderMatch, matchHeader, reportColumns } from "./header.js";

interface Import {
  readonly kind: "shipments" | "activities";
  readonly source: "data" | "file";
  /** The organisation's own; only shipments carry them. */
  readonly customFieldKeys: Iterable<string>;
}

/** The header row of an import's file, also of the file that a JSON push was turned into. */
export function matchImportHeader(columns: readonly string[], { kind, source, customFieldKeys }: Import): HeaderMatch {
  const names = columnsOf(kind).map(({ name }) => name);
  return matchHeader(columns, {
    required: columnsOf(kind).flatMap(({ name, required }) => (required ? [name] : [])),
    optional: source === "data" ? [...names, elementColumn] : names,
    custom: kind === "shipments" ? [...customFieldKeys] : [],
    ignored: reportColumns,
  });
}
