// Tells open pages of webhook endpoints that something about their endpoint has changed. One reading a second for all of them.
import type { Logger } from "pino";
import { keepReading } from "./readings.js";
import { type OpenStream, streamMessage } from "./streams.js";

export interface WebhookSubscriber {
  readonly stream: OpenStream;
  readonly endpointId: string;
  /** What the page shows, as `endpointVersions` names it. */
  readonly version: string;
}

export interface WebhookFeed {
  join(subscriber: WebhookSubscriber): void;
  leave(stream: OpenStream): void;
}

interface FeedOptions {
  readonly versions: (endpointIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The part of the page that carries the version. */
  readonly partOf: (version: string) => { readonly id: string; readonly html: string };
  readonly logger: Logger;
}

const tickMs = 1_000;

export function createWebhookFeed({ versions, partOf, logger }: FeedOptions): WebhookFeed {
  const subscribers = new Map<OpenStream, WebhookSubscriber>();

  const tick = async () => {
    const now = await versions([...new Set([...subscribers.values()].map(({ endpointId }) => endpointId))]);
    for (const [stream, subscriber] of subscribers) {
      const version = now.get(subscriber.endpointId);
      if (version === undefined || version === subscriber.version) continue;
      const part = partOf(version);
      stream.send(part.id, streamMessage(part));
      subscribers.set(stream, { ...subscriber, version });
    }
  };

  const nudge = keepReading({ read: tick, everyMs: tickMs, isWanted: () => subscribers.size > 0, logger });

  return {
    join: (subscriber) => {
      subscribers.set(subscriber.stream, subscriber);
      if (subscribers.size === 1) nudge();
    },
    leave: (stream) => void subscribers.delete(stream),
  };
}
