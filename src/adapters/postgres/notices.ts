import { EventEmitter, once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { backOffMs } from "../../backOff.js";
import type { Channel, Notices } from "../../ports/notices.js";
import { isDirect } from "./session.js";

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
  const hearers = new EventEmitter().setMaxListeners(0);
  let arriving = false;
  const onChange = (now: boolean) => {
    arriving = now;
    for (const channel of options.channels) hearers.emit(channel);
  };
  return {
    on(channel, hear) {
      if (!options.channels.includes(channel)) throw new Error(`this process does not listen to ${channel}`);
      hearers.on(channel, hear);
      return () => void hearers.off(channel, hear);
    },
    arrive: () => arriving,
    closed: keepListening(options, (channel, text = "") => hearers.emit(channel, text), onChange),
  };
}

async function keepListening(
  options: NoticesOptions,
  onNotice: (channel: string, text?: string) => void,
  onChange: (arriving: boolean) => void,
): Promise<void> {
  const { signal } = options;
  let failures = 0;
  while (!signal.aborted) {
    const client = new pg.Client({
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client.on("error", () => undefined); // `lost` gives the reason
    try {
      await client.connect();
      const lost = once(client, "end", { signal }).then(
        () => undefined,
        (error: Error) => (signal.aborted ? undefined : error),
      );
      if (!(await isDirect(client))) {
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
      await client.end().catch(() => undefined);
    }
    failures += 1;
    await pause(backOffMs(failures, { firstMs: 100, mostMs: 5_000 }), undefined, { signal }).catch(() => undefined);
  }
}
