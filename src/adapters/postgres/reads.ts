// Limits how many statements the requests of an organisation run, and cancels a statement in the server when nobody waits for it any more.
import { once } from "node:events";
import pg from "pg";
import type { PoolForReads } from "../../ports/reads.js";
import { createSlots, type Slots } from "../../slots.js";
import { asDatabaseError } from "./errors.js";
import type { DatabaseSession } from "./session.js";

const refusal = "Too many reads at the moment, try again shortly";
/** `maxHeld` is less than the API's connections, so that some are left for commands and downloads. */
const limits = { maxHeld: 10, maxPerOwner: 4, queue: { maxPerOwner: 200, maxWaitMs: 10_000 }, refusal };

export function createPoolForReads(slots: Slots = createSlots(limits)): PoolForReads {
  return (pool, { organisationId, signal }) => {
    const connect = () => connectCancellable(pool, signal);
    const query = (...statement: unknown[]) => slots.withSlot(organisationId, () => runStatement(connect, statement, signal), signal);
    // Callers of `connect` hold a connection for longer, as downloads do. Downloads have a limit of their own.
    return Object.assign(Object.create(pool) as pg.Pool, { connect, query });
  };
}

async function runStatement(connect: () => Promise<pg.PoolClient>, statement: readonly unknown[], signal: AbortSignal): Promise<unknown> {
  const client = await connect();
  let failure: Error | undefined;
  try {
    return await (client.query as (...args: unknown[]) => Promise<unknown>).apply(client, [...statement]);
  } catch (error) {
    failure = error as Error;
    signal.throwIfAborted();
    throw asDatabaseError(error);
  } finally {
    client.release(failure);
  }
}

/** A connection whose statement is cancelled when the signal aborts. It is then closed, so that no later statement is cancelled instead. */
async function connectCancellable(pool: pg.Pool, signal: AbortSignal): Promise<pg.PoolClient> {
  const client = await pool.connect();
  if (signal.aborted) {
    client.release();
    throw signal.reason;
  }
  const { release } = client;
  let cancellation: Promise<void> | undefined;
  const cancel = () => {
    cancellation = cancelStatement(pool, client);
  };
  signal.addEventListener("abort", cancel, { once: true });
  client.release = (error) => {
    signal.removeEventListener("abort", cancel);
    if (cancellation !== undefined) void cancellation.then(() => release(true));
    else release(error);
  };
  return client;
}

const maxCancelMs = 2_000;

/**
 * Asks the server to end the client's statement by the protocol's cancel request, which names the session by its secret and which poolers
 * pass on. Resolves when the server has handled the request or cannot be reached. Until then nobody else may get the session, since the
 * request ends whatever statement the session runs by then.
 */
async function cancelStatement(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const { processID, secretKey } = client as unknown as DatabaseSession;
  const { connectionString } = pool.options;
  const { connection, host, port } = new pg.Client({ connectionString }) as unknown as DatabaseSession;
  const timer = setTimeout(() => connection.stream.destroy(), maxCancelMs).unref();
  connection.on("error", () => undefined);
  connection.once("connect", () => {
    if (!connection.ssl) connection.cancel(processID, secretKey);
    else if (connection.sslNegotiation !== "direct") connection.requestSsl();
  });
  connection.once("sslconnect", () => connection.cancel(processID, secretKey));
  if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
  await once(connection, "end").catch(() => undefined); // the server closes the connection when it has sent the signal
  clearTimeout(timer);
}
