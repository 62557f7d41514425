import type pg from "pg";
import { StoreUnavailable } from "../../portErrors.js";

const oldest = 15;

/** Throws if the server is too old: its own error would be that of whichever statement it does not know. */
export async function expectSupportedServer(client: Pick<pg.ClientBase, "query">): Promise<void> {
  const { rows } = await client.query<{ server_version: string }>("show server_version");
  const version = rows[0]?.server_version ?? "of an unknown version";
  if (Number.parseInt(version, 10) >= oldest) return;
  const message = `The database cannot be used: its server is Postgres ${version}. Waybill needs Postgres ${oldest} or later.`;
  throw new StoreUnavailable("database", message, { fault: "misconfigured" });
}

/** Postgres 15 lacks this function, which 16 and later have built in; theirs is found first where both are there. */
export const addInputIsValid = `DO $do$ BEGIN
  IF to_regprocedure('pg_input_is_valid(text, text)') IS NULL THEN
    CREATE FUNCTION pg_input_is_valid(value text, type text) RETURNS boolean LANGUAGE plpgsql STABLE STRICT AS $body$ BEGIN
      EXECUTE format('SELECT %L::%I', value, type);
      RETURN true;
    EXCEPTION WHEN data_exception THEN
      RETURN false;
    END $body$;
  END IF;
END $do$`;
