import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { backOffMs } from "../../backOff.js";

export interface ListenOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly channel: string;
  /** Called for each notification, and after each (re)connect, since notifications may have been missed. */
  readonly onNotify: (payload: string | undefined) => void;
  readonly onError?: (error: Error) => void;
  /** Called when a pooler is between this process and the server. Notifications would go to another client then, so nothing is listened to. */
  readonly onPooler?: () => void;
  readonly signal: AbortSignal;
}

/** Listens until the signal aborts, over a connection of its own, which is opened again when it is lost. */
export async function listen(options: ListenOptions): Promise<void> {
  let failures = 0;
  while (!options.signal.aborted) {
    const client = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    try {
      await client.connect();
      const lost = untilLost(client, options.signal);
      if (await isPooled(client)) {
        options.onPooler?.();
        return;
      }
      client.on("notification", ({ payload }) => options.onNotify(payload));
      await client.query(`listen ${client.escapeIdentifier(options.channel)}`);
      failures = 0;
      options.onNotify(undefined);
      const reason = await lost;
      if (reason) options.onError?.(reason);
    } catch (error) {
      options.onError?.(error as Error);
    } finally {
      client.on("error", () => undefined);
      await client.end().catch(() => undefined);
    }
    failures += 1;
    await pause(backOffMs(failures, { firstMs: 100, mostMs: 5_000 }), undefined, { signal: options.signal }).catch(() => undefined);
  }
}

/** A pooler sends a process id of its own at the connect, not that of the server's process. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid !== (client as unknown as { processID: number | null }).processID;
}

function untilLost(client: pg.Client, signal: AbortSignal): Promise<Error | undefined> {
  return new Promise((settle) => {
    client.once("error", settle);
    client.once("end", () => settle(undefined));
    if (signal.aborted) settle(undefined);
    signal.addEventListener("abort", () => settle(undefined), { once: true });
  });
}
