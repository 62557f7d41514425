// The mappings that the organisation has chosen for the columns of its files.
import { type ColumnChoice, plainChoice } from "../../domain/imports/columns/choice.js";
import { principalOf } from "../../domain/principal.js";
import type { ImportColumns, ImportKind } from "../../events/importEvents.js";
import type { Database } from "../../ports/database.js";

interface ChoiceRow {
  readonly choice: ColumnChoice;
  readonly by: string;
  readonly at: Date;
}

/** The choice for files of this kind with exactly the headings whose `headingsKey` is `key`. */
export async function rememberedColumns(
  organisationId: string,
  { kind, key }: { readonly kind: ImportKind; readonly key: string },
  database: Database,
): Promise<ImportColumns | undefined> {
  const { rows } = await database.query<ChoiceRow>(
    `select choice, chosen_by as by, chosen_at as at from column_choices where organisation_id = $1 and kind = $2 and headings_key = $3`,
    [organisationId, kind, key],
  );
  const [found] = rows;
  if (!found) return undefined;
  return { ...plainChoice(found.choice), by: principalOf(found.by), at: found.at.toISOString() };
}

const maxChoices = 50;

/** The latest choices for files of this kind, newest first. */
export async function lastChoices(organisationId: string, kind: ImportKind, database: Database): Promise<ColumnChoice[]> {
  const { rows } = await database.query<Pick<ChoiceRow, "choice">>(
    `select choice from column_choices where organisation_id = $1 and kind = $2 order by revision desc limit ${maxChoices}`,
    [organisationId, kind],
  );
  return rows.map(({ choice }) => choice);
}
