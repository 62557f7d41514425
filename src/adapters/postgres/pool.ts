import pg from "pg";
import { asDatabaseError } from "./errors.js";
import { SessionClient } from "./session.js";

export interface PoolOptions {
  readonly url: string;
  /** Shown in pg_stat_activity; names the role. */
  readonly applicationName: string;
  readonly max?: number;
  /** 30 s by default; 0 for no time-out. */
  readonly statementTimeoutMs?: number;
  /** How long the client waits for an answer, since a frozen or unreachable server does not end a statement. No limit by default. */
  readonly answerTimeoutMs?: number;
  /** Called when an idle connection breaks. The pool replaces it. */
  readonly onError?: (error: Error) => void;
}

export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    Client: SessionClient,
    onConnect: (client) => (client as SessionClient).detectPooler(),
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.max ?? 10,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: options.statementTimeoutMs === 0 ? 0 : Math.max(60_000, options.statementTimeoutMs ?? 0),
    ...(options.answerTimeoutMs === undefined ? {} : { query_timeout: options.answerTimeoutMs }),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  pool.on("error", options.onError ?? (() => undefined));
  return withTranslatedErrors(pool);
}

/**
 * In an outage, makes the promises of the pool and its clients reject with StoreUnavailable, and the streams of their statements fail with
 * StoreUnavailable too. The callback forms, which pg itself uses, are unchanged.
 */
function withTranslatedErrors(pool: pg.Pool): pg.Pool {
  const history = { connectedBefore: false };
  const translateErrorsOf = (method: unknown, owner: object) => {
    const call = (method as (...args: unknown[]) => unknown).bind(owner);
    return (...args: unknown[]) => {
      if (isStream(args[0])) {
        const { handleError } = args[0];
        args[0].handleError = function (error, ...rest) {
          handleError.call(this, asDatabaseError(error, history), ...rest);
        };
      }
      const result = call(...args);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => {
        throw asDatabaseError(error, history);
      });
    };
  };
  pool.on("connect", (client) => {
    history.connectedBefore = true;
    // A connection that breaks while it is in use emits its own error event, which would end the process without a listener.
    client.on("error", () => undefined);
    Object.assign(client, { query: translateErrorsOf(client.query, client) });
  });
  return Object.assign(pool, { query: translateErrorsOf(pool.query, pool), connect: translateErrorsOf(pool.connect, pool) });
}

/** A statement that is itself a stream, such as COPY. pg reports errors to it by this method. */
interface StatementStream {
  handleError(error: unknown, ...rest: unknown[]): void;
}

const isStream = (statement: unknown): statement is StatementStream =>
  typeof statement === "object" && statement !== null && "handleError" in statement && "pipe" in statement;

/** Runs `work` in a transaction. If the rollback fails as well, the connection is closed. */
export async function transaction<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let rollbackFailure: Error | undefined;
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch((failure: Error) => {
      rollbackFailure = failure;
    });
    throw asDatabaseError(error);
  } finally {
    client.release(rollbackFailure);
  }
}
