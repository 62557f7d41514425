import type { ColumnChoice } from "../imports/columns/choice.js";
import { isoDate } from "../imports/columns/dateOrder.js";
import { columnsOf, type Kind } from "../imports/fields.js";
import type { Fault } from "./faults.js";
import { fieldsReader } from "./fieldReader.js";
import type { RowContext } from "./rowContext.js";

/** Why rows with these fixed values would all be rejected. A place is judged only together with the rest of its row. */
export function fixedValueFaults({ fixed = {}, dateOrder, decimal }: ColumnChoice, kind: Kind, context: RowContext): string[] {
  return columnsOf(kind).flatMap((field) => {
    const { name, heading } = field;
    const given = Object.hasOwn(fixed, name) ? fixed[name] : undefined;
    if (given === undefined) return [];
    const faults: Fault[] = [];
    const cell = (field.type === "time" && dateOrder && isoDate(given, dateOrder)) || given;
    fieldsReader({ names: [name], fields: [name], decimal }, [field], context)([cell], faults);
    return faults.length === 0 ? [] : [`The fixed value of ${heading}: ${faults.map(({ sentence }) => sentence).join("; ")}.`];
  });
}
