/**
 * SQL for the instant of an activity's timestamp, which is kept as it was sent; null for a text that is no timestamp. Fractions are cut after
 * milliseconds, as workers do.
 */
export const instantSql = (text: string): string => `case when ${isLong(text)} then ${ifValid(shortened(text))} else ${ifValid(text)} end`;

/** The same at half the cost, but with an error for a text that is no timestamp. */
export const certainInstantSql = (text: string): string =>
  `(case when ${isLong(text)} then ${shortened(text)} else ${text} end)::timestamptz`;

const isLong = (text: string) => `length(${text}) > 25 or ${text} like '%,%'`;
const shortened = (text: string) => `regexp_replace(replace(${text}, ',', '.'), '(\\.\\d{3})\\d+', '\\1')`;
const ifValid = (text: string) => `case when pg_input_is_valid(${text}, 'timestamptz') then (${text})::timestamptz end`;

/** Postgres's error codes for a text that is no time, and for a time that does not exist. */
export const isNoTime = (error: unknown): boolean =>
  ["22007", "22008", "22009"].includes((error as { code?: string } | undefined)?.code ?? "");

/** SQL for the half hour in which an instant lies, by its beginning. */
export const halfHourSql = (instant: string): string => `date_bin('30 minutes', ${instant}, timestamptz '2000-01-01 00:00:00Z')`;

export const halfHourMs = 30 * 60 * 1000;

/**
 * The totals cut customer, warehouse and charge codes to this length. Longer ones are rejected today, but those that an older version
 * accepted must still fit into an index.
 */
export const longestKey = 200;
