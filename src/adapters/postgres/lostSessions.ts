import pg from "pg";
import type { Session } from "./session.js";

export interface LostSessionOptions {
  readonly applicationName: string;
  /** How often to look. A session is ended when it was found lost twice in a row and no byte was sent or received in between. */
  readonly everyMs?: number;
  readonly onLost: (pid: number) => void;
}

const lookMs = 5_000;

/**
 * For a pool whose statements may take any time. A time-out cannot tell a long statement from an answer that the network has lost, but the
 * server can: it is asked over another connection what a silent session is doing. If the server waits for this client while the client waits
 * for the server, the session is ended on both sides, which frees its locks. Returns a function that stops the watch.
 */
export function endLostSessions(pool: pg.Pool, { applicationName, everyMs = lookMs, onLost }: LostSessionOptions): () => void {
  const inUse = new Set<Session>();
  const moved = new Map<Session, number>();
  const suspects = new Set<Session>();
  pool.on("acquire", (client) => inUse.add(client as unknown as Session));
  pool.on("release", (_error, client) => forget(client as unknown as Session));
  const forget = (session: Session) => {
    inUse.delete(session);
    moved.delete(session);
    suspects.delete(session);
  };
  const silent = (session: Session) => session.readyForQuery === false && moved.get(session) === traffic(session);

  const look = async () => {
    const quiet = [...inUse].filter(silent);
    for (const session of inUse) moved.set(session, traffic(session));
    const lost = quiet.length === 0 ? new Set() : await lostAmong(pool, applicationName, quiet);
    for (const session of [...inUse]) {
      if (!lost.has(session) || !silent(session)) suspects.delete(session);
      else if (!suspects.has(session)) suspects.add(session);
      else {
        onLost(session.processID ?? 0);
        await end(pool, applicationName, session);
        forget(session);
      }
    }
  };
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    // If the server cannot be asked now, the next look decides.
    void look()
      .catch(() => undefined)
      .finally(() => {
        looking = false;
      });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

const traffic = ({ connection: { stream } }: Session) => stream.bytesRead + stream.bytesWritten;

/** The sessions that the server does not know, or on whose client the server is waiting. */
async function lostAmong(pool: pg.Pool, applicationName: string, sessions: readonly Session[]): Promise<Set<Session>> {
  return onNewConnection(pool, applicationName, async (client) => {
    const pids = sessions.map(({ processID }) => processID);
    const { rows } = await client.query<{ own: number; pid: number | null; waits: boolean }>(
      `select pg_backend_pid() as own, pid, state <> 'active' or wait_event_type is not distinct from 'Client' as waits
       from (select 1) as always left join pg_stat_activity on pid = any($1) and application_name = $2`,
      [pids, applicationName],
    );
    // Behind a pooler the process ids are the pooler's own, so nothing can be said.
    if (rows[0]?.own !== (client as unknown as Session).processID) return new Set<Session>();
    const atWork = new Set(rows.flatMap(({ pid, waits }) => (pid !== null && !waits ? pid : [])));
    return new Set(sessions.filter(({ processID }) => processID !== null && !atWork.has(processID)));
  });
}

async function end(pool: pg.Pool, applicationName: string, session: Session): Promise<void> {
  try {
    await onNewConnection(pool, applicationName, (client) =>
      client.query("select pg_terminate_backend(pid) from pg_stat_activity where pid = $1 and application_name = $2", [
        session.processID,
        applicationName,
      ]),
    );
  } finally {
    session.connection.stream.destroy(new Error("Connection terminated: the server and this client were waiting for each other"));
  }
}

/** Uses a new connection, since all connections of the pool may be lost. */
async function onNewConnection<Result>(pool: pg.Pool, applicationName: string, ask: (client: pg.Client) => Promise<Result>) {
  const client = new pg.Client({
    connectionString: pool.options.connectionString,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    statement_timeout: 5_000,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await ask(client);
  } finally {
    // Not awaited: the network may lose this message as well.
    void client.end().catch(() => undefined);
  }
}
