// All open pages of this process that change by themselves: how many there may be, when each ends, and which are told to fetch what they show
// again. One reading feeds all of them, however many are open.
import type { Logger } from "pino";
import { TooBusy } from "../../../portErrors.js";
import { answerInTime, onClientLeft } from "../../server/answerInTime.js";

export const openPageLimits = { inAll: 2_000, perOrganisation: 500, perSession: 20 } as const;

interface OpenPagesOptions {
  /** The present version of each thing that pages follow. */
  readonly versions: (watched: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Which of these sessions are still signed in: asked for all of them at once. */
  readonly signedIn: (sessions: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Aborts when the API begins to stop. */
  readonly closing: AbortSignal;
  readonly logger: Pick<Logger, "debug">;
  readonly limits?: Partial<Record<keyof typeof openPageLimits, number>>;
}

export interface PageToOpen {
  readonly organisationId: string;
  /** The hash of the session's token. */
  readonly session: string;
  /** What the page shows, as `watchedName` names it. */
  readonly watched: string;
  /** The version that it shows. */
  readonly version: string;
  /** Aborts when the browser leaves. */
  readonly clientLeft: AbortSignal;
  /** Closes the connection of a browser that does not read: an end that is only written would never arrive. */
  readonly cut: () => void;
}

const tickMs = 750;
/** While the database does not answer. */
const backOffMs = 5_000;
/** Each page that is told reads a page again: the others are told at the next readings. */
const mostTold = 20;
const mostToldOfOne = 5;
const lookMs = 2_000;
const beatMs = 15_000;
/** A browser that reads nothing for this long has left. The adapter does not always report that. */
const mostStuckMs = 60_000;
/** Without an answer about its session for this long a stream ends. */
const mostUnknownMs = 30_000;

export function createOpenPages({ versions, signedIn, closing, logger, limits: given }: OpenPagesOptions) {
  const limits = { ...openPageLimits, ...given };
  /** All that have a slot, and those of them that a browser reads. */
  const [held, pages] = [new Set<OpenPage>(), new Set<OpenPage>()];
  let isLooking = false;
  let [looked, known, beaten] = [0, 0, 0];

  const ensurePlace = ({ organisationId, session }: PageToOpen) => {
    const all = [...held];
    const isFull =
      all.length >= limits.inAll ||
      all.filter((page) => page.organisationId === organisationId).length >= limits.perOrganisation ||
      all.filter((page) => page.session === session).length >= limits.perSession;
    if (isFull) throw new TooBusy("Too many pages are open that change by themselves. Close some, or reload this one by hand");
  };

  const tell = async () => {
    const watched = new Set([...pages].map((page) => page.watched));
    const now = await answerInTime(versions([...watched]), backOffMs, "the versions of open pages");
    const told: string[] = [];
    for (const page of [...pages]) {
      const version = now.get(page.watched);
      const { organisationId } = page;
      const mayBeTold = told.length < mostTold && told.filter((each) => each === organisationId).length < mostToldOfOne;
      if (version === undefined || version === page.version || !mayBeTold) continue;
      if (!page.send(`data: ${JSON.stringify({ version })}\n\n`)) continue; // it is told of a later version
      page.version = version;
      told.push(organisationId);
      if (pages.delete(page)) pages.add(page); // behind those that wait
    }
  };

  /** Ends the streams of sessions that have ended, and of browsers that have left. */
  const endSome = async () => {
    const sessions = new Set([...pages].map(({ session }) => session));
    const alive = await signedIn([...sessions]).catch((error: unknown) => {
      logger.debug({ err: error }, "the sessions of open pages could not be looked up");
      return undefined;
    });
    const now = performance.now();
    if (alive) known = now;
    for (const page of pages) {
      const isSignedOut = alive !== undefined && sessions.has(page.session) && !alive.has(page.session);
      if (isSignedOut || now - known > mostUnknownMs || now - (page.stuckSince ?? now) > mostStuckMs) page.end();
    }
    if (now - beaten < beatMs) return;
    beaten = now;
    for (const page of pages) page.send(": still here\n\n");
  };

  /** Looks again and again, but only while a page is open. */
  const keepLooking = (ms: number) => {
    if (isLooking || pages.size === 0) return;
    isLooking = true;
    const again = async () => {
      let next = tickMs;
      const isDue = performance.now() - looked >= lookMs;
      if (isDue) looked = performance.now();
      const telling = tell().catch((error: unknown) => {
        logger.debug({ err: error }, "open pages could not be told what has changed");
        next = backOffMs;
      });
      await Promise.all([telling, isDue ? endSome() : undefined]);
      isLooking = false;
      keepLooking(next);
    };
    setTimeout(() => void again(), ms).unref();
  };

  const endAll = () => {
    for (const page of pages) page.end();
  };
  closing.addEventListener("abort", endAll, { once: true });

  return {
    /** The events for one page. Throws 503 where too many pages are open already. */
    open: (request: PageToOpen): ReadableStream<Uint8Array> => {
      ensurePlace(request);
      const { page, body } = openStream(request, {
        onOpen: () => {
          if (closing.aborted) return page.end();
          if (pages.size === 0) looked = known = beaten = performance.now();
          pages.add(page);
          keepLooking(tickMs);
        },
        onEnd: () => {
          held.delete(page);
          pages.delete(page);
        },
      });
      held.add(page);
      onClientLeft(request.clientLeft, () => page.end());
      return body;
    },
  };
}

type OpenPage = ReturnType<typeof openStream>["page"];

const reconnectMs = 3_000;
const cutAfterMs = 1_000;

/**
 * Server-sent events to one browser. Nothing is kept for a browser that is not ready for it. `onOpen` is called when the browser begins to read,
 * not before: a browser that has already left neither reads nor cancels. `onEnd` is called once, whichever side ended the stream, also if it was
 * never read.
 */
function openStream(request: PageToOpen, { onOpen, onEnd }: Record<"onOpen" | "onEnd", () => void>) {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let state: "new" | "open" | "ended" = "new";
  /** Set while the browser is ready for something. */
  let resume: (() => void) | undefined;
  const page = {
    ...request,
    /** Since when something could not be sent. */
    stuckSince: undefined as number | undefined,
    /** Whether the browser was ready for it. */
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
      if (page.stuckSince !== undefined && performance.now() - page.stuckSince > cutAfterMs) request.cut();
      if (!isCancelled) controller?.close();
      onEnd();
    },
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (own) => {
        controller = own;
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
