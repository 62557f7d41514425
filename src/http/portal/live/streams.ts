// All open pages of this process that change by themselves: how many there may be, and when each ends.
import { createPlaces } from "../../../places.js";
import { whenLeft } from "../../server/inTime.js";
import { eventStream, type OpenStream, type StreamOptions } from "./stream.js";

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

export interface Opening extends Pick<StreamOptions, "organisationId" | "session" | "cut"> {
  /** Aborts when the browser leaves. */
  readonly left: AbortSignal;
  /** Both are called at most once, and `onEnd` only after `onOpen`. */
  readonly onOpen: (stream: OpenStream) => void;
  readonly onEnd: (stream: OpenStream) => void;
}

export interface Streams {
  /** Throws 503 where there are too many already. */
  open(opening: Opening): ReadableStream<Uint8Array>;
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
  const claim = ({ organisationId, session }: Opening) => {
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
    const asked = new Set(sessions);
    for (const stream of all) {
      const isSignedOut = alive !== undefined && asked.has(stream.session) && !alive.has(stream.session);
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
      const { stream, body } = eventStream({
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
      whenLeft(opening.left, () => stream.end());
      return body;
    },
  };
}
