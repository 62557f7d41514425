import pg from "pg";

/**
 * What the code relies on, whatever the database, the user or the server is set to. These go with the greeting of a connection, where
 * PgBouncer takes them too and keeps them with the client, also in transaction mode.
 */
const settings = { DateStyle: "ISO, MDY", TimeZone: "UTC", standard_conforming_strings: "on" };

/** What node-postgres has but does not declare. */
const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf(this: pg.Client): object };

export class SessionClient extends pg.Client {
  getStartupConf(): object {
    return { ...getStartupConf.call(this), ...settings };
  }
}
