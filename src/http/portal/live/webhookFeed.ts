// Tells open pages of webhook endpoints that something about their endpoint has changed. One reading a second for all of them.
import type { Logger } from "pino";
import { messageOf, type OpenStream } from "./streams.js";

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
/** While the database does not answer. */
const backOffMs = 5_000;

export function createWebhookFeed({ versions, partOf, logger }: FeedOptions): WebhookFeed {
  const subscribers = new Map<OpenStream, WebhookSubscriber>();
  let isScheduled = false;

  const tick = async () => {
    const now = await versions([...new Set([...subscribers.values()].map(({ endpointId }) => endpointId))]);
    for (const [stream, subscriber] of subscribers) {
      const version = now.get(subscriber.endpointId);
      if (version === undefined || version === subscriber.version) continue;
      const part = partOf(version);
      stream.send(part.id, messageOf(part));
      subscribers.set(stream, { ...subscriber, version });
    }
  };

  /** Reads again and again, but only while a page is open. */
  const run = async () => {
    let next = tickMs;
    try {
      if (subscribers.size > 0) await tick();
    } catch (error) {
      logger.debug({ err: error }, "could not tell open pages of webhook deliveries");
      next = backOffMs;
    }
    isScheduled = false;
    if (subscribers.size > 0) schedule(next);
  };
  const schedule = (ms: number) => {
    if (isScheduled) return;
    isScheduled = true;
    setTimeout(() => void run(), ms).unref();
  };

  return {
    join: (subscriber) => {
      subscribers.set(subscriber.stream, subscriber);
      schedule(tickMs);
    },
    leave: (stream) => void subscribers.delete(stream),
  };
}
