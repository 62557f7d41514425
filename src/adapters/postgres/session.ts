import pg from "pg";

/**
 * Settings that the code relies on, whatever the defaults of the server, the database or the user are. They are sent as start-up parameters,
 * which PgBouncer accepts and keeps per client, also in transaction mode.
 */
const settings = { DateStyle: "ISO, MDY", TimeZone: "UTC", standard_conforming_strings: "on" };

// Else times are sent in the machine's time zone, with an offset in minutes. That is wrong for old dates, when most zones had offsets with seconds.
pg.defaults.parseInputDatesAsUTC = true;

/** Members of node-postgres that its types do not declare. */
const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf(this: pg.Client): object };

export class SessionClient extends pg.Client {
  getStartupConf(): object {
    return { ...getStartupConf.call(this), ...settings };
  }
}
