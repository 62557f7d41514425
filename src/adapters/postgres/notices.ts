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
  /** Called if a pooler is in front of the server. It would give the notifications to another client, so this process does not listen. */
  readonly onPooler?: () => void;
  /** Aborts when listening has to end. */
  readonly signal: AbortSignal;
}

/** Listens until the signal aborts, over a connection of its own, which it reopens. `closed` resolves when listening has ended. */
export function openNotices(options: NoticesOptions): Notices & { readonly closed: Promise<void> } {
  const listeners = new EventEmitter().setMaxListeners(0);
  let isArriving = false;
  const onChange = (isArrivingNow: boolean) => {
    isArriving = isArrivingNow;
    for (const channel of options.channels) listeners.emit(channel);
  };
  return {
    on(channel, listener) {
      if (!options.channels.includes(channel)) throw new Error(`this process does not listen to ${channel}`);
      listeners.on(channel, listener);
      return () => void listeners.off(channel, listener);
    },
    areArriving: () => isArriving,
    closed: keepListening(options, (channel, text = "") => listeners.emit(channel, text), onChange),
  };
}

async function keepListening(
  options: NoticesOptions,
  onNotice: (channel: string, text?: string) => void,
  onChange: (isArriving: boolean) => void,
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
    client.on("error", () => undefined); // `connectionEnd` resolves with the reason
    try {
      await client.connect();
      const connectionEnd = once(client, "end", { signal }).then(
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
      const reason = await connectionEnd;
      onChange(false);
      if (reason) options.onError?.(reason);
    } catch (error) {
      options.onError?.(error as Error);
    } finally {
      await client.end().catch(() => undefined);
    }
    failures += 1;
    await pause(backOffMs(failures, { firstMs: 100, maxMs: 5_000 }), undefined, { signal }).catch(() => undefined);
  }
}
