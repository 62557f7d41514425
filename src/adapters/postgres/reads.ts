// The reads of requests: bounded for each organisation, and ended in the server when nobody waits for them any more.
import { once } from "node:events";
import pg from "pg";
import type { Reads } from "../../ports/reads.js";
import { createSlots, type Slots } from "../../slots.js";
import { asDatabaseError } from "./errors.js";
import type { Session } from "./session.js";

/** Of the API's connections, so that some are left for commands and downloads. An organisation's further statements wait for its own. */
const bounds = { inAll: 10, each: 4, line: { each: 200, ms: 10_000 } };

export function createReads(slots: Slots = createSlots({ ...bounds, refusal: "Too many reads at the moment, try again shortly" })): Reads {
  return (pool, { organisationId, signal }) => {
    const connect = () => cancellable(pool, signal);
    const query = (...statement: unknown[]) => slots.within(organisationId, () => run(connect, statement, signal), signal);
    // Who holds a connection for longer, as a download does, has a slot of another kind.
    return Object.assign(Object.create(pool) as pg.Pool, { connect, query });
  };
}

async function run(connect: () => Promise<pg.PoolClient>, statement: readonly unknown[], signal: AbortSignal): Promise<unknown> {
  const client = await connect();
  let failed: Error | undefined;
  try {
    return await (client.query as (...args: unknown[]) => Promise<unknown>).apply(client, [...statement]);
  } catch (error) {
    failed = error as Error;
    signal.throwIfAborted();
    throw asDatabaseError(error);
  } finally {
    client.release(failed);
  }
}

/** A connection whose statement is cancelled when the signal aborts. It is closed then, so that the cancel request never meets another statement. */
async function cancellable(pool: pg.Pool, signal: AbortSignal): Promise<pg.PoolClient> {
  const client = await pool.connect();
  if (signal.aborted) {
    client.release();
    throw signal.reason;
  }
  const { release } = client;
  let cancelled: Promise<void> | undefined;
  const cancel = () => {
    cancelled = cancelStatement(pool, client);
  };
  signal.addEventListener("abort", cancel, { once: true });
  client.release = (error) => {
    signal.removeEventListener("abort", cancel);
    if (cancelled !== undefined) void cancelled.then(() => release(true));
    else release(error);
  };
  return client;
}

const longestMs = 2_000;

/**
 * Asks the server to end the statement that the client runs, by the protocol's cancel request: it names the session by its secret, and poolers
 * pass it on. Resolves when the server has dealt with it or cannot be asked. Until then the session must not be given to anyone else, since the
 * request ends whatever the session runs by then.
 */
async function cancelStatement(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const { processID, secretKey } = client as unknown as Session;
  const { connectionString } = pool.options;
  const { connection, host, port } = new pg.Client({ connectionString }) as unknown as Session;
  const late = setTimeout(() => connection.stream.destroy(), longestMs).unref();
  connection.on("error", () => undefined);
  connection.once("connect", () => {
    if (!connection.ssl) connection.cancel(processID, secretKey);
    else if (connection.sslNegotiation !== "direct") connection.requestSsl();
  });
  connection.once("sslconnect", () => connection.cancel(processID, secretKey));
  if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
  await once(connection, "end").catch(() => undefined); // the server closes the connection when it has sent the signal
  clearTimeout(late);
}
