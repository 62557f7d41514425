/**
 * SQL for the instant of an activity's timestamp, which is kept as it was sent; null for a text that is none. Fractions are cut after
 * milliseconds, as the importer reads them.
 */
export const instantSql = (text: string): string =>
  `case when length(${text}) > 25 or ${text} like '%,%' then ${ifValid(`regexp_replace(replace(${text}, ',', '.'), '(\\.\\d{3})\\d+', '\\1')`)}
        else ${ifValid(text)} end`;

const ifValid = (text: string) => `case when pg_input_is_valid(${text}, 'timestamptz') then (${text})::timestamptz end`;

/** SQL for the half hour in which an instant lies, by its beginning. */
export const halfHourSql = (instant: string): string => `date_bin('30 minutes', ${instant}, timestamptz '2000-01-01 00:00:00Z')`;

export const halfHourMs = 30 * 60 * 1000;
