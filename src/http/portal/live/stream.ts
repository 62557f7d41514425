// One open page: server-sent events to one browser.

export interface OpenStream {
  readonly organisationId: string;
  /** The hash of the session's token. */
  readonly session: string;
  /** Replaces a message of the same key that the browser has not taken yet: a slow browser gets the latest state, not the history. */
  readonly send: (key: string, message: string) => void;
  /** A comment, so that no proxy takes the connection for dead. */
  readonly beat: () => void;
  /** Since when something waits that the browser has not taken; undefined where nothing does. */
  readonly waitingSince: () => number | undefined;
  readonly end: () => void;
}

/** A message is made once for all pages that get it. */
export const messageOf = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

export interface StreamOptions {
  readonly organisationId: string;
  readonly session: string;
  /** Called when the browser begins to read, not before: a browser that has already left neither reads nor cancels. */
  readonly onOpen: () => void;
  /** Called once, whichever side ended the stream, also if it was never read. */
  readonly onEnd: () => void;
  /** Closes the connection of a browser that does not read: an end that is only written would never arrive. */
  readonly cut: () => void;
}

/** More than any page shows. A browser with more messages waiting is disconnected; it connects again and gets the present state. */
const mostWaiting = 500;
const reconnectMs = 3_000;
const stuckMs = 1_000;

export function eventStream({ organisationId, session, onOpen, onEnd, cut }: StreamOptions): {
  stream: OpenStream;
  body: ReadableStream<Uint8Array>;
} {
  const waiting = new Map<string, string>([["", `retry: ${reconnectMs}\n\n`]]);
  const encoder = new TextEncoder();
  let state: "new" | "open" | "ended" = "new";
  let since: number | undefined;
  let wake: () => void = () => undefined;
  const put = (key: string, text: string) => {
    if (state !== "open") return;
    waiting.delete(key);
    waiting.set(key, text);
    since ??= performance.now();
    if (waiting.size > mostWaiting) stream.end();
    wake();
  };
  const stream: OpenStream = {
    organisationId,
    session,
    send: put,
    beat: () => put("", ": still here\n\n"),
    waitingSince: () => since,
    end: () => {
      if (state === "ended") return;
      state = "ended";
      waiting.clear();
      if (since !== undefined && performance.now() - since > stuckMs) cut();
      wake();
      onEnd();
    },
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (state === "new") {
          state = "open";
          onOpen();
        }
        if (state === "open" && waiting.size === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        if (waiting.size === 0) return state === "ended" ? controller.close() : undefined;
        const text = [...waiting.values()].join("");
        waiting.clear();
        since = undefined;
        controller.enqueue(encoder.encode(text));
      },
      cancel: () => stream.end(),
    },
    { highWaterMark: 0 },
  );
  return { stream, body };
}
