// Imports as open pages see them change: each part is made once for all who have it open.
import { hashToken } from "../../../../domain/members/link.js";
import { isUuid } from "../../../../domain/uuid.js";
import type { ReadImport } from "../../../../queries/importStatus.js";
import type { ImportView } from "../../../../queries/importView.js";
import type { Publish, Readers, Subscriber } from "../../live/importFeed.js";
import type { AnswerOf, PortalDeps } from "../../page.js";
import type { Viewer } from "../../shell/viewer.js";
import type { SignedInVisit } from "../../visit.js";
import { requireImport } from "./one.js";
import { type PartsDeps, partsOf, readParts } from "./parts.js";
import { importRow } from "./rows.js";
import { isUnfinished, livePath, rejectedSoFar } from "./status.js";
import { StatusPart, shownStatus } from "./statusPart.js";

const listStream: AnswerOf<SignedInVisit> = {
  method: "GET",
  path: livePath,
  access: "look",
  answer: async (visit, deps) => openStream(visit, deps, { importId: undefined, shown: shownIn(visit.query), status: undefined }),
};

const importStream: AnswerOf<SignedInVisit> = {
  method: "GET",
  path: `${livePath}/{importId}`,
  access: "look",
  answer: async (visit, deps) => {
    const { view } = await requireImport(visit, deps);
    return openStream(visit, deps, { importId: view.importId, shown: [], status: visit.query["status"] });
  },
};

export const importStreams = [listStream, importStream];

const mostShown = 30;

const shownIn = ({ shown = "" }: Readonly<Record<string, string>>): readonly string[] =>
  shown.split(",", mostShown).filter((importId) => isUuid(importId));

function openStream(visit: SignedInVisit, { live, sessionCookie }: PortalDeps, asked: Omit<Subscriber, "stream" | "viewer">): Response {
  const { context: c, person, links, may } = visit;
  const { organisationId, timezone } = person;
  const viewer: Viewer = { links, may, person: { organisationId, timezone } };
  const body = live.streams.open({
    organisationId,
    session: hashToken(sessionCookie.read(c) ?? ""),
    cut: () => c.env?.outgoing?.destroy(),
    onOpen: (stream) => live.imports.join({ ...asked, stream, viewer }),
    onEnd: (stream) => live.imports.leave(stream),
  });
  // The last one keeps a proxy from waiting for the end.
  const headers = { ...c.get("answerHeaders"), "content-type": "text/event-stream", "x-accel-buffering": "no" };
  return new Response(body, { headers });
}

/** So often the reasons and the history of a running import are read again, where its page is open. */
const reasonsMs = 5_000;
const historyMs = 15_000;

interface Told {
  readonly status: string;
  readonly rejected: number;
  readonly at: number;
  /** By whether the reader may operate: the markup of each part. */
  readonly parts: Map<boolean, Readonly<Record<string, string>>>;
}

export function publishImports(deps: PartsDeps): Publish {
  const toldOf = new Map<string, Told>();
  const mostTold = 500;

  return {
    list: ({ all, changed }, { fresh, others }) => {
      const [reader] = [...fresh, ...others];
      if (!reader) return;
      const markup = new Map((fresh.length > 0 ? all : changed).map((read) => [read, importRow(read.view, reader.viewer)]));
      const send = (to: readonly Subscriber[], reads: readonly ReadImport[]) => {
        for (const { stream } of to)
          for (const read of reads.toReversed()) sendPart(stream, `import-${read.view.importId}`, markup.get(read) ?? "");
      };
      send(others, changed);
      send(fresh, all);
    },

    one: async (organisationId, read, hasChanged, { fresh, others }) => {
      const { view } = read;
      const before = toldOf.get(view.importId);
      const now = performance.now();
      const outdated = fresh.filter(({ status }) => status !== shownStatus(view));
      if (isDue(view, before, now) || outdated.length > 0) {
        const made = await readParts(organisationId, read, undefined, deps);
        const told: Told = { ...stateOf(view), at: now, parts: new Map() };
        for (const [mayOperate, viewer] of viewersOf([...fresh, ...others])) {
          const parts = Object.entries(partsOf(viewer, made)).map(([id, part]) => [id, String(part)] as const);
          told.parts.set(mayOperate, Object.fromEntries(parts));
        }
        for (const subscriber of [...fresh, ...others]) {
          const mayOperate = subscriber.viewer.may("operate");
          const known = outdated.includes(subscriber) ? undefined : before?.parts.get(mayOperate);
          for (const [id, markup] of Object.entries(told.parts.get(mayOperate) ?? {}))
            if (known?.[id] !== markup) sendPart(subscriber.stream, id, markup);
        }
        toldOf.delete(view.importId);
        toldOf.set(view.importId, told);
      } else {
        if (!before) toldOf.set(view.importId, { ...stateOf(view), at: now, parts: new Map() });
        if (hasChanged && isUnfinished(view)) sendStatus(view, { fresh, others });
      }
      for (const oldest of toldOf.keys()) if (toldOf.size > mostTold) toldOf.delete(oldest);
    },
  };
}

const stateOf = (view: ImportView) => ({ status: `${shownStatus(view)} ${view.reportKey ?? ""}`, rejected: rejectedSoFar(view) });

/** Whether more than the numbers may have changed. */
function isDue(view: ImportView, before: Told | undefined, now: number): boolean {
  if (!before) return false;
  const { status, rejected } = stateOf(view);
  if (status !== before.status) return true;
  return (rejected !== before.rejected && now - before.at > reasonsMs) || (view.status === "processing" && now - before.at > historyMs);
}

function sendStatus(view: ImportView, { fresh, others }: Readers): void {
  const readers = [...fresh, ...others];
  const markup = new Map(
    [...viewersOf(readers)].map(([mayOperate, viewer]) => [
      mayOperate,
      String(<StatusPart visit={viewer} view={view} hasOpenRows={false} correcting={[]} />),
    ]),
  );
  for (const { stream, viewer } of readers) sendPart(stream, "import-status", markup.get(viewer.may("operate")) ?? "");
}

/** One of each kind: markup depends on nothing else of who reads it. */
const viewersOf = (readers: readonly Subscriber[]): Map<boolean, Viewer> =>
  new Map(readers.map(({ viewer }) => [viewer.may("operate"), viewer]));

const sendPart = (stream: Subscriber["stream"], id: string, html: string) => stream.send(id, { id, html });
