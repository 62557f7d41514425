// Imports as open pages see them change: each part is made once for all who have it open.
import { setImmediate } from "node:timers/promises";
import { isUuid } from "../../../../domain/uuid.js";
import type { ReadImport } from "../../../../queries/imports/importStatus.js";
import type { ImportView } from "../../../../queries/imports/importView.js";
import { recentValues } from "../../../../recentValues.js";
import type { PublishImports, Readers, Subscriber, Viewer } from "../../live/importFeed.js";
import { streamAnswer } from "../../live/streamAnswer.js";
import { type OpenStream, streamMessage } from "../../live/streams.js";
import type { AnswerDefinition, PortalDeps, SignedInVisit } from "../../pageDefinition.js";
import { importOf } from "./importPage.js";
import { type PartsDeps, partsOf, readParts } from "./importParts.js";
import { importNotes, importRow, isUnfinished, livePath, rejectedSoFar } from "./importStatus.js";
import { StatusPart, shownStatus } from "./statusPart.js";

const listStream: AnswerDefinition<SignedInVisit> = {
  method: "GET",
  path: livePath,
  access: "look",
  answer: async (visit, deps) => openStream(visit, deps, { importId: undefined, shown: shownIn(visit.query), status: undefined }),
};

const importStream: AnswerDefinition<SignedInVisit> = {
  method: "GET",
  path: `${livePath}/{importId}`,
  access: "look",
  answer: async (visit, deps) => {
    const { view } = await importOf(visit, deps);
    return openStream(visit, deps, { importId: view.importId, shown: [], status: visit.query["status"] });
  },
};

export const importStreams = [listStream, importStream];

const mostShown = 30;

const shownIn = ({ shown = "" }: Readonly<Record<string, string>>): readonly string[] =>
  shown.split(",", mostShown).filter((importId) => isUuid(importId));

function openStream(visit: SignedInVisit, deps: PortalDeps, shownNow: Omit<Subscriber, "stream" | "viewer">): Response {
  const { person, links, may } = visit;
  const { organisationId, timezone } = person;
  const viewer: Viewer = { links, may, person: { organisationId, timezone } };
  const { imports } = deps.live;
  return streamAnswer(visit, deps, {
    onOpen: (stream) => imports.join({ ...shownNow, stream, viewer }),
    onEnd: (stream) => imports.leave(stream),
  });
}

/** How often the rejected rows and the history of a running import are read again while its page is open. */
const rejectedMs = 5_000;
const historyMs = 15_000;

interface SentParts {
  readonly status: string;
  readonly rejected: number;
  readonly at: number;
  /** The parts of the page, by whether the reader's role may operate. */
  readonly parts: Map<boolean, readonly Part[]>;
}

/** A part of the page, ready to be sent. */
interface Part {
  readonly id: string;
  readonly message: string;
}

const part = (id: string, html: string): Part => ({ id, message: streamMessage({ id, html }) });

function send(stream: OpenStream, parts: readonly Part[]): void {
  for (const { id, message } of parts) stream.send(id, message);
}

const atOnce = 50;

/** Pauses after every `atOnce` readers, so that requests are served in between. */
async function inTurns(readers: readonly Subscriber[], tell: (reader: Subscriber) => void): Promise<void> {
  for (const [index, reader] of readers.entries()) {
    if (index > 0 && index % atOnce === 0) await setImmediate();
    tell(reader);
  }
}

export function publishImports(deps: PartsDeps): PublishImports {
  const lastSent = recentValues<SentParts>(500);

  return {
    list: async ({ all, changed }, { fresh, others }) => {
      const [reader] = [...fresh, ...others];
      if (!reader || (fresh.length === 0 && changed.length === 0)) return;
      const sent = fresh.length > 0 ? all : changed;
      const notes = await importNotes(
        reader.viewer.person.organisationId,
        sent.map(({ view }) => view),
        deps,
      );
      const partOf = ({ view }: ReadImport) => part(`import-${view.importId}`, importRow(view, reader.viewer, notes));
      const [first, then] = [fresh.length > 0 ? all.toReversed().map(partOf) : [], changed.toReversed().map(partOf)];
      await inTurns(others, ({ stream }) => send(stream, then));
      await inTurns(fresh, ({ stream }) => send(stream, first));
    },

    one: async (organisationId, read, hasChanged, { fresh, others }) => {
      const { view } = read;
      const before = lastSent.get(view.importId);
      const now = performance.now();
      const outdated = fresh.filter(({ status }) => status !== shownStatus(view));
      if (isDue(view, before, now) || outdated.length > 0) {
        const made = await readParts(organisationId, read, undefined, deps);
        const sent: SentParts = { ...stateOf(view), at: now, parts: new Map() };
        for (const [mayOperate, viewer] of viewersOf([...fresh, ...others]))
          sent.parts.set(
            mayOperate,
            Object.entries(partsOf(viewer, made)).map(([id, child]) => part(id, String(child))),
          );
        await inTurns([...fresh, ...others], (subscriber) => {
          const mayOperate = subscriber.viewer.may("operate");
          const known = outdated.includes(subscriber) ? undefined : before?.parts.get(mayOperate);
          const isNew = ({ message }: Part) => !known?.some((other) => other.message === message);
          send(subscriber.stream, sent.parts.get(mayOperate)?.filter(isNew) ?? []);
        });
        lastSent.set(view.importId, sent);
      } else {
        if (!before) lastSent.set(view.importId, { ...stateOf(view), at: now, parts: new Map() });
        if (hasChanged && isUnfinished(view)) await sendStatus(view, { fresh, others });
      }
    },
  };
}

const stateOf = (view: ImportView) => ({ status: `${shownStatus(view)} ${view.reportKey ?? ""}`, rejected: rejectedSoFar(view) });

/** Whether more than the numbers may have changed. */
function isDue(view: ImportView, before: SentParts | undefined, now: number): boolean {
  if (!before) return false;
  const { status, rejected } = stateOf(view);
  if (status !== before.status) return true;
  return (rejected !== before.rejected && now - before.at > rejectedMs) || (view.status === "processing" && now - before.at > historyMs);
}

async function sendStatus(view: ImportView, { fresh, others }: Readers): Promise<void> {
  const readers = [...fresh, ...others];
  const markup = (viewer: Viewer) => String(<StatusPart visit={viewer} view={view} states={undefined} correcting={[]} />);
  const made = new Map([...viewersOf(readers)].map(([mayOperate, viewer]) => [mayOperate, [part("import-status", markup(viewer))]]));
  await inTurns(readers, ({ stream, viewer }) => send(stream, made.get(viewer.may("operate")) ?? []));
}

/** One viewer who may operate and one who may not: the markup depends on nothing else. */
const viewersOf = (readers: readonly Subscriber[]): Map<boolean, Viewer> =>
  new Map(readers.map(({ viewer }) => [viewer.may("operate"), viewer]));
