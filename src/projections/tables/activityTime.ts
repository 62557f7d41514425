/**
 * SQL for the instant of an activity's timestamp, which is kept as it was sent; null for a text that is none. Fractions are cut after
 * milliseconds, as the importer reads them.
 */
export const instantSql = (text: string): string => `case when ${isLong(text)} then ${ifValid(shortened(text))} else ${ifValid(text)} end`;

/** The same for texts that are all timestamps, at half the cost; an error for one that is none. */
export const certainInstantSql = (text: string): string =>
  `(case when ${isLong(text)} then ${shortened(text)} else ${text} end)::timestamptz`;

const isLong = (text: string) => `length(${text}) > 25 or ${text} like '%,%'`;
const shortened = (text: string) => `regexp_replace(replace(${text}, ',', '.'), '(\\.\\d{3})\\d+', '\\1')`;
const ifValid = (text: string) => `case when pg_input_is_valid(${text}, 'timestamptz') then (${text})::timestamptz end`;

/** Postgres's codes for a text that is no time, or one that does not exist. */
export const isNoTime = (error: unknown): boolean =>
  ["22007", "22008", "22009"].includes((error as { code?: string } | undefined)?.code ?? "");

/** SQL for the half hour in which an instant lies, by its beginning. */
export const halfHourSql = (instant: string): string => `date_bin('30 minutes', ${instant}, timestamptz '2000-01-01 00:00:00Z')`;

export const halfHourMs = 30 * 60 * 1000;

/** Of a customer, warehouse or charge code as activities are summed by. Longer ones are refused today; what an older version let in must still fit into an index. */
export const longestKey = 200;
