import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { backOffMs } from "../../backOff.js";
import type { Channel, NoticeListener, Notices } from "../../ports/notices.js";

export interface NoticesOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly channels: readonly Channel[];
  readonly onError?: (error: Error) => void;
  /** Called when a pooler is between this process and the server. Notifications would go to another client then, so nothing is listened to. */
  readonly onPooler?: () => void;
  /** Aborts when nothing is to be heard any more. */
  readonly signal: AbortSignal;
}

/** Listens until the signal aborts, over a connection of its own, which is opened again when it is lost. `closed` resolves when that has ended. */
export function openNotices(options: NoticesOptions): Notices & { readonly closed: Promise<void> } {
  const hearers = new Map<Channel, Set<NoticeListener>>(options.channels.map((channel) => [channel, new Set()]));
  let arriving = false;
  const onChange = (now: boolean) => {
    arriving = now;
    for (const each of hearers.values()) for (const hear of each) hear();
  };
  const onNotice = (channel: string, text: string | undefined) => {
    for (const hear of hearers.get(channel as Channel) ?? []) hear(text ?? "");
  };
  return {
    on(channel, hear) {
      const each = hearers.get(channel);
      if (!each) throw new Error(`this process does not listen to ${channel}`);
      each.add(hear);
      return () => void each.delete(hear);
    },
    arrive: () => arriving,
    closed: keepListening(options, onNotice, onChange),
  };
}

async function keepListening(
  options: NoticesOptions,
  onNotice: (channel: string, text: string | undefined) => void,
  onChange: (arriving: boolean) => void,
): Promise<void> {
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
      client.on("notification", ({ channel, payload }) => onNotice(channel, payload));
      await client.query(options.channels.map((channel) => `listen ${client.escapeIdentifier(channel)}`).join("; "));
      failures = 0;
      onChange(true);
      const reason = await lost;
      onChange(false);
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
