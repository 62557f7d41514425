// What happened in recent days, for the overview page.
import type { Database } from "../ports/database.js";
import { searchKeySql } from "../projections/tables/imports.js";
import { isOfGroupSql } from "./activities/activityFilter.js";

/** The beginnings of the days, oldest first, and the end of the last one. */
export interface Days {
  readonly starts: readonly Date[];
  readonly end: Date;
}

export type EndedImports = Awaited<ReturnType<typeof endedImports>>;

/** How many imports are read at most, the last ended first. */
const maxImportsRead = 20_000;

/**
 * Accepted and rejected rows by the day on which their imports ended. An import that failed or was cancelled has no accepted rows. `isCut`
 * is true if `max` imports were read, so that earlier ones may be missing.
 */
export async function endedImports(organisationId: string, { starts, end }: Days, database: Database, max = maxImportsRead) {
  const { rows } = await database.query<{ day: number; accepted: number; rejected: number; failedImports: number; imports: number }>(
    `select width_bucket(finished_at, $3::timestamptz[]) as day, count(*)::int as imports,
            count(*) filter (where status = 'failed')::int as "failedImports", sum(failed)::float8 as rejected,
            coalesce(sum(received - failed) filter (where status = 'completed'), 0)::float8 as accepted
       from (select finished_at, status, received, failed from imports
              where organisation_id = $1 and finished_at >= $4 and finished_at < $2 order by finished_at desc limit $5) as ended
      group by 1`,
    [organisationId, end, starts, starts[0], max],
  );
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const sum = (name: "failedImports" | "imports") => rows.reduce((total, row) => total + row[name], 0);
  return {
    days: starts.map((_, index) => {
      const { accepted = 0, rejected = 0 } = byDay.get(index + 1) ?? {};
      return { accepted, rejected };
    }),
    failedImports: sum("failedImports"),
    isCut: sum("imports") >= max,
  };
}

export interface ChargeCodeRows {
  readonly chargeCode: string;
  readonly rows: number;
}

/** SQL for each group of organisation $1 with its number of activities in the half hours that begin from $2 on and before $3. */
const groupHoursSql = `
  activity_groups as g cross join lateral
       (select sum(t.row_count) as rows from activity_totals as t
         where ${isOfGroupSql} and t.half_hour >= $2 and t.half_hour < $3 offset 0) as hours
 where g.organisation_id = $1`;

/** The charge codes with the most activities, from the sums by half hour. A half hour within which the first day begins is left out. */
export async function busiestChargeCodes(
  organisationId: string,
  { starts, end }: Days,
  count: number,
  database: Database,
): Promise<ChargeCodeRows[]> {
  const { rows } = await database.query<ChargeCodeRows>(
    `select g.charge_code as "chargeCode", sum(hours.rows)::float8 as rows from ${groupHoursSql} and hours.rows > 0
      group by g.charge_code order by rows desc, g.charge_code limit $4`,
    [organisationId, starts[0], end, count],
  );
  return rows;
}

/** How many activities count in the half hours that begin from `from` on and before `to`. */
export async function countActivities(
  organisationId: string,
  { from, to }: { readonly from: Date; readonly to: Date },
  database: Database,
): Promise<number> {
  const { rows } = await database.query<{ count: number }>(`select coalesce(sum(hours.rows), 0)::float8 as count from ${groupHoursSql}`, [
    organisationId,
    from,
    to,
  ]);
  return rows[0]?.count ?? 0;
}

export interface TroubledWebhooks {
  /** Endpoints to which nothing is sent until a person resumes them. */
  readonly paused: number;
  /** Endpoints whose last attempts have failed, and for which more attempts will follow. */
  readonly failing: number;
}

/** An endpoint with fewer failures in a row is not reported: the next attempt may succeed. */
const minFailures = 3;

export async function troubledWebhooks(organisationId: string, database: Database): Promise<TroubledWebhooks> {
  const { rows } = await database.query<TroubledWebhooks>(
    `select count(*) filter (where paused_at is not null)::int as paused,
            count(*) filter (where paused_at is null and health.failures >= ${minFailures})::int as failing
       from webhook_endpoints endpoint left join webhook_health health on health.endpoint_id = endpoint.endpoint_id
      where organisation_id = $1 and removed_at is null`,
    [organisationId],
  );
  return rows[0] ?? { paused: 0, failing: 0 };
}

export interface FirstSteps {
  /** Whether a person has dismissed the list of first steps. */
  readonly isPutAway: boolean;
  readonly hasImport: boolean;
  /** Whether the organisation has imported the example file with which new organisations try the service. */
  readonly hasExample: boolean;
  readonly hasColleague: boolean;
  readonly hasKey: boolean;
}

export async function firstStepsOf(organisationId: string, database: Database): Promise<FirstSteps> {
  const completedSql = "select from imports where organisation_id = $1 and status = 'completed'";
  const { rows } = await database.query<FirstSteps>(
    `select first_steps_put_away as "isPutAway", exists(${completedSql}) as "hasImport",
            exists(${completedSql} and source = 'file' and starts_with(${searchKeySql("file_name")}, 'example-')) as "hasExample",
            (select count(*) from members where organisation_id = $1 and status <> 'removed') > 1 as "hasColleague",
            exists(select from api_keys where organisation_id = $1 and valid_until is null and revoked_at is null
                    and (expires_at is null or expires_at > now())) as "hasKey"
       from organisations where id = $1`,
    [organisationId],
  );
  return rows[0] ?? { isPutAway: true, hasImport: true, hasExample: true, hasColleague: true, hasKey: true };
}
