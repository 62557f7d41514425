// All open pages of this process that change by themselves: how many there may be, and when each ends.
import { createPlaces } from "../../../places.js";
import { onClientLeft } from "../../server/answerInTime.js";

export interface StreamsOptions {
  /** Which of these sessions are still signed in: asked for all of them at once. */
  readonly signedIn: (sessions: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Aborts when the API begins to stop. */
  readonly closing: AbortSignal;
  readonly onError: (error: unknown) => void;
  readonly limits?: Partial<Record<keyof typeof streamLimits, number>>;
}

export const streamLimits = { inAll: 2_000, perOrganisation: 500, perSession: 20 } as const;

const lookMs = 2_000;
const beatMs = 15_000;
/** A browser that reads nothing for this long has left. The adapter does not always report that. */
const mostWaitingMs = 60_000;
/** Without an answer about its session for this long a stream ends. */
const mostUnknownMs = 30_000;

export interface StreamRequest extends Pick<StreamOptions, "organisationId" | "session" | "cut"> {
  /** Aborts when the browser leaves. */
  readonly left: AbortSignal;
  /** Both are called at most once, and `onEnd` only after `onOpen`. */
  readonly onOpen: (stream: OpenStream) => void;
  readonly onEnd: (stream: OpenStream) => void;
}

export interface Streams {
  /** Throws 503 where there are too many already. */
  open(opening: StreamRequest): ReadableStream<Uint8Array>;
}

export function createStreams({ signedIn, closing, onError, limits: given }: StreamsOptions): Streams {
  const limits = { ...streamLimits, ...given };
  const all = new Set<OpenStream>();
  let isLooking = false;
  let known = performance.now();
  let beaten = performance.now();

  const refusal = "Too many pages are open that change by themselves. Close some, or reload this one by hand";
  const ofOrganisations = createPlaces({ inAll: limits.inAll, each: limits.perOrganisation, refusal });
  const ofSessions = createPlaces({ inAll: limits.inAll, each: limits.perSession, refusal });
  const claim = ({ organisationId, session }: StreamRequest) => {
    const ofSession = ofSessions.claim(session);
    try {
      const ofOrganisation = ofOrganisations.claim(organisationId);
      return () => {
        ofSession();
        ofOrganisation();
      };
    } catch (error) {
      ofSession();
      throw error;
    }
  };

  const look = async () => {
    const sessions = [...new Set([...all].map(({ session }) => session))];
    const alive = await signedIn(sessions).catch((error: unknown) => {
      onError(error);
      return undefined;
    });
    if (alive) known = performance.now();
    const tooLong = performance.now() - known > mostUnknownMs;
    const lookedUp = new Set(sessions);
    for (const stream of all) {
      const isSignedOut = alive !== undefined && lookedUp.has(stream.session) && !alive.has(stream.session);
      const isStuck = performance.now() - (stream.waitingSince() ?? performance.now()) > mostWaitingMs;
      if (tooLong || isSignedOut || isStuck) stream.end();
    }
    if (performance.now() - beaten >= beatMs) {
      beaten = performance.now();
      for (const stream of all) stream.beat();
    }
  };

  /** Looks again and again, but only while a page is open. */
  const keepLooking = () => {
    if (isLooking) return;
    isLooking = true;
    const again = async () => {
      await look();
      isLooking = false;
      if (all.size > 0) keepLooking();
    };
    setTimeout(() => void again(), lookMs).unref();
  };

  const endAll = () => {
    for (const stream of all) stream.end();
  };
  closing.addEventListener("abort", endAll, { once: true });

  return {
    open: (opening) => {
      const release = claim(opening);
      const { stream, body } = openEventStream({
        ...opening,
        onOpen: () => {
          if (closing.aborted) return stream.end();
          if (all.size === 0) known = performance.now();
          all.add(stream);
          opening.onOpen(stream);
          keepLooking();
        },
        onEnd: () => {
          release();
          if (all.delete(stream)) opening.onEnd(stream);
        },
      });
      onClientLeft(opening.left, () => stream.end());
      return body;
    },
  };
}

/** One open page: server-sent events to one browser. */
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

/** `x-accel-buffering` keeps a proxy from holding the answer back until it ends. */
export const streamHeaders = { "content-type": "text/event-stream", "x-accel-buffering": "no" } as const;

/** A message is made once for all pages that get it. */
export const streamMessage = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

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

export function openEventStream({ organisationId, session, onOpen, onEnd, cut }: StreamOptions): {
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
