// The open pages of this process that update themselves: how many there may be, when their streams end, and which of them get an event when
// what they show has changed. One query reads the versions for all open pages.
import type { Logger } from "pino";
import { TooBusy } from "../../../portErrors.js";
import { answerInTime, onClientLeft } from "../../server/answerInTime.js";

export const openPageLimits = { inAll: 2_000, perOrganisation: 500, perSession: 20 } as const;

interface OpenPagesOptions {
  /** Reads the current version of each thing that open pages follow. */
  readonly readVersions: (watched: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Returns those of the given sessions that are still signed in. */
  readonly findSignedIn: (sessions: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Aborts when the API begins to stop. */
  readonly closing: AbortSignal;
  readonly logger: Pick<Logger, "debug">;
  readonly limits?: Partial<Record<keyof typeof openPageLimits, number>>;
}

export interface PageToOpen {
  readonly organisationId: string;
  /** The hash of the session's token. */
  readonly session: string;
  /** The name of what the page follows, made by `watchedName`. */
  readonly watched: string;
  /** The version that the page shows. */
  readonly version: string;
  /** Aborts when the browser leaves. */
  readonly clientLeft: AbortSignal;
  /** Closes the connection of a browser that does not read, since a regular end of the stream would never arrive. */
  readonly closeConnection: () => void;
}

const tickMs = 750;
/** The longest wait for the versions, and the pause after they could not be read. */
const backOffMs = 5_000;
/** The most pages notified at one check, since each is then fetched again. The others are notified at the next checks. */
const maxNotified = 20;
const maxNotifiedPerOrganisation = 5;
const sessionCheckMs = 2_000;
const heartbeatMs = 15_000;
/** A browser that reads nothing for this long is taken to have left: the HTTP adapter does not report every browser that leaves. */
const maxStuckMs = 60_000;
/** A stream ends when its session could not be looked up for this long. */
const maxSessionsUnknownMs = 30_000;

export function createOpenPages({ readVersions, findSignedIn, closing, logger, limits: limitOverrides }: OpenPagesOptions) {
  const limits = { ...openPageLimits, ...limitOverrides };
  /** `admittedPages`: all that count towards the limits. `pages`: those whose stream a browser has begun to read. */
  const [admittedPages, pages] = [new Set<OpenPage>(), new Set<OpenPage>()];
  let isScheduled = false;
  let [sessionsCheckedAt, sessionsKnownAt, heartbeatAt] = [0, 0, 0]; // on performance.now()'s clock

  const ensureSlot = ({ organisationId, session }: PageToOpen) => {
    const all = [...admittedPages];
    const isFull =
      all.length >= limits.inAll ||
      all.filter((page) => page.organisationId === organisationId).length >= limits.perOrganisation ||
      all.filter((page) => page.session === session).length >= limits.perSession;
    if (isFull) throw new TooBusy("Too many pages with live updates are open. Close some, or reload this page yourself");
  };

  const notifyPages = async () => {
    const watched = new Set([...pages].map((page) => page.watched));
    const currentVersions = await answerInTime(readVersions([...watched]), backOffMs, "the versions of open pages");
    const notified: string[] = [];
    for (const page of [...pages]) {
      const version = currentVersions.get(page.watched);
      const { organisationId } = page;
      const mayNotify =
        notified.length < maxNotified && notified.filter((each) => each === organisationId).length < maxNotifiedPerOrganisation;
      if (version === undefined || version === page.version || !mayNotify) continue;
      if (!page.send(`data: ${JSON.stringify({ version })}\n\n`)) continue; // the browser is not ready: it gets a later version
      page.version = version;
      notified.push(organisationId);
      if (pages.delete(page)) pages.add(page); // moves it to the end, so that pages that still wait come first next time
    }
  };

  /** Ends the streams of sessions that have ended, and of browsers that have left. */
  const endDeadStreams = async () => {
    const sessions = new Set([...pages].map(({ session }) => session));
    const signedInSessions = await findSignedIn([...sessions]).catch((error: unknown) => {
      logger.debug({ err: error }, "the sessions of open pages could not be looked up");
      return undefined;
    });
    const now = performance.now();
    if (signedInSessions) sessionsKnownAt = now;
    for (const page of pages) {
      const isSignedOut = signedInSessions !== undefined && sessions.has(page.session) && !signedInSessions.has(page.session);
      if (isSignedOut || now - sessionsKnownAt > maxSessionsUnknownMs || now - (page.stuckSince ?? now) > maxStuckMs) page.end();
    }
    if (now - heartbeatAt < heartbeatMs) return;
    heartbeatAt = now;
    for (const page of pages) page.send(": still here\n\n");
  };

  /** Schedules the next check, which schedules the one after it. Checks stop while no page is open. */
  const scheduleCheck = (ms: number) => {
    if (isScheduled || pages.size === 0) return;
    isScheduled = true;
    const check = async () => {
      let next = tickMs;
      const areSessionsDue = performance.now() - sessionsCheckedAt >= sessionCheckMs;
      if (areSessionsDue) sessionsCheckedAt = performance.now();
      const notifying = notifyPages().catch((error: unknown) => {
        logger.debug({ err: error }, "open pages could not be told what has changed");
        next = backOffMs;
      });
      await Promise.all([notifying, areSessionsDue ? endDeadStreams() : undefined]);
      isScheduled = false;
      scheduleCheck(next);
    };
    setTimeout(() => void check(), ms).unref();
  };

  const endAll = () => {
    for (const page of pages) page.end();
  };
  closing.addEventListener("abort", endAll, { once: true });

  return {
    /** Opens the stream of events for one page. Throws TooBusy if too many pages are open. */
    open: (request: PageToOpen): ReadableStream<Uint8Array> => {
      ensureSlot(request);
      const { page, body } = openStream(request, {
        onOpen: () => {
          if (closing.aborted) return page.end();
          if (pages.size === 0) sessionsCheckedAt = sessionsKnownAt = heartbeatAt = performance.now();
          pages.add(page);
          scheduleCheck(tickMs);
        },
        onEnd: () => {
          admittedPages.delete(page);
          pages.delete(page);
        },
      });
      admittedPages.add(page);
      onClientLeft(request.clientLeft, () => page.end());
      return body;
    },
  };
}

type OpenPage = ReturnType<typeof openStream>["page"];

const reconnectMs = 3_000;
const closeAfterStuckMs = 1_000;

/**
 * A stream of server-sent events to one browser. Events for a browser that is not ready to read are dropped, not buffered. `onOpen` is
 * called when the browser begins to read, because one that has already left neither reads nor cancels. `onEnd` is called once, whichever
 * side ends the stream, even if it was never read.
 */
function openStream(request: PageToOpen, { onOpen, onEnd }: Record<"onOpen" | "onEnd", () => void>) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let state: "new" | "open" | "ended" = "new";
  /** Set while the browser is ready for the next event. */
  let resume: (() => void) | undefined;
  const page = {
    ...request,
    /** When an event was first dropped since the browser last read, on performance.now()'s clock. */
    stuckSince: undefined as number | undefined,
    /** Sends an event. Returns false if the browser was not ready, and the event was dropped. */
    send: (text: string): boolean => {
      if (!resume) {
        page.stuckSince ??= performance.now();
        return false;
      }
      controller?.enqueue(new TextEncoder().encode(text));
      resume();
      resume = undefined;
      return true;
    },
    end: (isCancelled = false) => {
      if (state === "ended") return;
      state = "ended";
      if (page.stuckSince !== undefined && performance.now() - page.stuckSince > closeAfterStuckMs) request.closeConnection();
      if (!isCancelled) controller?.close();
      onEnd();
    },
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (streamController) => {
        controller = streamController;
      },
      pull: () => {
        page.stuckSince = undefined;
        const sent = new Promise<void>((resolve) => {
          resume = resolve;
        });
        if (state === "open") return sent;
        state = "open";
        page.send(`retry: ${reconnectMs}\n\n`);
        return onOpen();
      },
      cancel: () => page.end(true),
    },
    { highWaterMark: 0 },
  );
  return { page, body };
}
