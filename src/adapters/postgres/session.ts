import { createHash } from "node:crypto";
import pg from "pg";

/**
 * Settings that the code relies on, whatever the defaults of the server, the database or the user are. The client sends them as start-up
 * parameters, which PgBouncer accepts and keeps per client, also in transaction mode.
 */
const settings = { DateStyle: "ISO, MDY", TimeZone: "UTC", standard_conforming_strings: "on" };

// By default node-postgres sends times in the machine's zone, with an offset in whole minutes. That falsifies old dates, whose offsets had
// seconds.
pg.defaults.parseInputDatesAsUTC = true;

const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf(this: pg.Client): object };

/** A statement that begins with this mark is prepared once per connection, since planning it at each call costs more than running it. */
const preparedMark = "/* prepared */";

const statementNames = new Map<string, string>();

function statementNameOf(text: string): string {
  const name = statementNames.get(text) ?? createHash("sha256").update(text).digest("hex").slice(0, 32);
  statementNames.set(text, name);
  return name;
}

/** A connection: the members of a node-postgres client that its types do not declare. */
export interface DatabaseSession {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number;
  readonly readyForQuery?: boolean;
  readonly connection: NodeJS.EventEmitter & {
    readonly ssl: unknown;
    readonly sslNegotiation?: string;
    readonly stream: { bytesRead: number; bytesWritten: number; destroy(error?: Error): void };
    connect(port: number | string, host?: string): void;
    requestSsl(): void;
    cancel(processID: number | null, secretKey: number): void;
  };
}

/** Whether no pooler is between this client and the server. A pooler tells its clients a process id of its own invention. */
export async function isDirect(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid === (client as unknown as DatabaseSession).processID;
}

type Statement = Pick<pg.QueryConfig, "name" | "text" | "values">;

export class SessionClient extends pg.Client {
  /** False behind a pooler, which may send a statement's next call to another server process, where it is not prepared. */
  #isDirect = false;

  getStartupConf(): object {
    return { ...getStartupConf.call(this), ...settings };
  }

  async detectPooler(): Promise<void> {
    this.#isDirect = await isDirect(this);
  }

  override query(...args: unknown[]): never {
    return (super.query as (...args: unknown[]) => never).apply(this, this.#withPreparedName(args));
  }

  #withPreparedName([statement, values, ...rest]: unknown[]): unknown[] {
    const { name, text } = typeof statement === "string" ? { text: statement, name: undefined } : (statement as Statement);
    if (name !== undefined && !this.#isDirect) return [{ ...(statement as Statement), name: undefined }, values, ...rest];
    if (!this.#isDirect || name !== undefined || !text?.startsWith(preparedMark)) return [statement, values, ...rest];
    if (typeof statement === "string") return [{ text, name: statementNameOf(text), values }, ...rest];
    return [{ ...(statement as Statement), name: statementNameOf(text) }, values, ...rest];
  }
}
