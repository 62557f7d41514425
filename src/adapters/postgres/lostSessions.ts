import pg from "pg";
import type { DatabaseSession } from "./session.js";

export interface LostSessionOptions {
  readonly applicationName: string;
  /** The time between two checks. A session is ended if two checks in a row find it lost and there was no traffic in between. */
  readonly everyMs?: number;
  readonly onLost: (pid: number) => void;
}

const defaultEveryMs = 5_000;

/**
 * For a pool whose statements may take any time. A time-out cannot tell a long statement from an answer that the network has lost, but the
 * server can: another connection asks it what a silent session is doing. If the server waits for this client while the client waits for the
 * server, the session is ended on both sides, which frees its locks. Returns a function that stops the checks.
 */
export function endLostSessions(pool: pg.Pool, { applicationName, everyMs = defaultEveryMs, onLost }: LostSessionOptions): () => void {
  const sessionsInUse = new Set<DatabaseSession>();
  const lastTraffic = new Map<DatabaseSession, number>();
  const suspects = new Set<DatabaseSession>();
  pool.on("acquire", (client) => sessionsInUse.add(client as unknown as DatabaseSession));
  pool.on("release", (_error, client) => forget(client as unknown as DatabaseSession));
  const forget = (session: DatabaseSession) => {
    sessionsInUse.delete(session);
    lastTraffic.delete(session);
    suspects.delete(session);
  };
  const isSilent = (session: DatabaseSession) => session.readyForQuery === false && lastTraffic.get(session) === traffic(session);

  const checkSessions = async () => {
    const silentSessions = [...sessionsInUse].filter(isSilent);
    for (const session of sessionsInUse) lastTraffic.set(session, traffic(session));
    const lost = silentSessions.length === 0 ? new Set() : await lostAmong(pool, applicationName, silentSessions);
    for (const session of [...sessionsInUse]) {
      if (!lost.has(session) || !isSilent(session)) suspects.delete(session);
      else if (!suspects.has(session)) suspects.add(session);
      else {
        onLost(session.processID ?? 0);
        await endSession(pool, applicationName, session);
        forget(session);
      }
    }
  };
  let isChecking = false;
  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    // If the server cannot be asked now, the next check decides.
    void checkSessions()
      .catch(() => undefined)
      .finally(() => {
        isChecking = false;
      });
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

const traffic = ({ connection: { stream } }: DatabaseSession) => stream.bytesRead + stream.bytesWritten;

/** The sessions that the server does not know, or whose client the server is waiting for. */
async function lostAmong(pool: pg.Pool, applicationName: string, sessions: readonly DatabaseSession[]): Promise<Set<DatabaseSession>> {
  return onNewConnection(pool, applicationName, async (client) => {
    const pids = sessions.map(({ processID }) => processID);
    const { rows } = await client.query<{ ownPid: number; pid: number | null; waits: boolean }>(
      `select pg_backend_pid() as "ownPid", pid, state <> 'active' or wait_event_type is not distinct from 'Client' as waits
       from (select 1) as always left join pg_stat_activity on pid = any($1) and application_name = $2`,
      [pids, applicationName],
    );
    // Behind a pooler the process ids are the pooler's own, so no session can be looked up.
    if (rows[0]?.ownPid !== (client as unknown as DatabaseSession).processID) return new Set<DatabaseSession>();
    const busyPids = new Set(rows.flatMap(({ pid, waits }) => (pid !== null && !waits ? pid : [])));
    return new Set(sessions.filter(({ processID }) => processID !== null && !busyPids.has(processID)));
  });
}

async function endSession(pool: pg.Pool, applicationName: string, session: DatabaseSession): Promise<void> {
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
async function onNewConnection<Result>(pool: pg.Pool, applicationName: string, work: (client: pg.Client) => Promise<Result>) {
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
    return await work(client);
  } finally {
    // Not awaited: the network may lose this message as well.
    void client.end().catch(() => undefined);
  }
}
