// What open pages show of imports, kept up to date by about one reading a second for the whole process, however many pages are open.
import type { Logger } from "pino";
import type { Action } from "../../../domain/members.js";
import { type ReadImport, readRow, type Sources } from "../../../queries/imports/importStatus.js";
import { isFinished } from "../../../queries/imports/importView.js";
import { newestImport, watchedImports } from "../../../queries/imports/watchedImports.js";
import { recentValues } from "../../../recentValues.js";
import type { Links } from "../links.js";
import { keepReading } from "./readings.js";
import type { OpenStream } from "./streams.js";

/** What markup that several people get may depend on: nothing that belongs to one session. */
export interface Viewer {
  readonly links: Links;
  readonly may: (action: Action) => boolean;
  readonly person: { readonly timezone: string; readonly organisationId: string };
}

/** A page that is open: the list, or one import. */
export interface Subscriber {
  readonly stream: OpenStream;
  readonly viewer: Viewer;
  /** The import whose page it is; undefined for the list. */
  readonly importId: string | undefined;
  /** Imports that the list shows as running or waiting. */
  readonly shown: readonly string[];
  /** The status that the import's page shows. */
  readonly status: string | undefined;
}

export interface Readers {
  /** Pages that have just opened: they may show an older state than the one that was sent last. */
  readonly fresh: readonly Subscriber[];
  readonly others: readonly Subscriber[];
}

/** Sends changes to open pages. The readers and the imports of one call are of one organisation. */
export interface PublishImports {
  list(reads: { readonly all: readonly ReadImport[]; readonly changed: readonly ReadImport[] }, to: Readers): Promise<void>;
  one(organisationId: string, read: ReadImport, hasChanged: boolean, to: Readers): Promise<void>;
}

export interface ImportFeed {
  join(subscriber: Subscriber): void;
  leave(stream: OpenStream): void;
  /** A member has just asked this process to change an import: makes the next reading start at once. */
  nudge(): void;
}

const tickMs = 750;
const mostSent = 5_000;

export function createImportFeed({ sources, logger, publish }: { sources: Sources; logger: Logger; publish: PublishImports }): ImportFeed {
  const subscribers = new Map<OpenStream, Subscriber>();
  const fresh = new Set<Subscriber>();
  /** The state of each import that was last sent to pages. */
  const sentVersions = recentValues<string>(mostSent);
  /** Imports that ran or waited at the last reading. Their endings are sent to the pages too. */
  let unfinished: readonly string[] = [];
  let since: bigint | undefined;

  const tick = async () => {
    const all = [...subscribers.values()];
    const newcomers = all.filter((subscriber) => fresh.has(subscriber));
    since ??= BigInt((await newestImport(sources.pool))?.position ?? -1);
    const rows = await watchedImports(
      {
        organisationIds: unique(all.map(organisationOf)),
        newestOf: unique(newcomers.filter(({ importId }) => importId === undefined).map(organisationOf)),
        importIds: unique([...all.flatMap(({ importId }) => importId ?? []), ...newcomers.flatMap(({ shown }) => shown), ...unfinished]),
        since,
      },
      sources.pool,
    );
    const reads = rows.map(readRow);
    for (const organisationId of unique(rows.map((row) => row.organisationId))) {
      const own = reads.filter((_, index) => rows[index]?.organisationId === organisationId);
      const readers = all.filter((subscriber) => organisationOf(subscriber) === organisationId);
      await sendTo(organisationId, own.toReversed(), readers);
    }
    unfinished = reads.filter(({ view }) => !isFinished(view.status)).map(({ view }) => view.importId);
    for (const { position } of rows) if (position > since) since = position;
    for (const subscriber of newcomers) fresh.delete(subscriber);
  };

  const sendTo = async (organisationId: string, reads: readonly ReadImport[], readers: readonly Subscriber[]) => {
    const changed = reads.filter((read) => sentVersions.get(read.view.importId) !== versionOf(read));
    const split = (some: readonly Subscriber[]): Readers => ({
      fresh: some.filter((subscriber) => fresh.has(subscriber)),
      others: some.filter((subscriber) => !fresh.has(subscriber)),
    });
    await publish.list({ all: reads, changed }, split(readers.filter(({ importId }) => importId === undefined)));
    for (const read of reads) {
      const own = readers.filter(({ importId }) => importId === read.view.importId);
      if (own.length > 0) await publish.one(organisationId, read, changed.includes(read), split(own));
    }
    for (const read of changed) sentVersions.set(read.view.importId, versionOf(read));
  };

  const nudge = keepReading({ read: tick, everyMs: tickMs, isWanted: () => subscribers.size > 0, logger });

  return {
    join: (subscriber) => {
      if (subscribers.size === 0) since = undefined;
      subscribers.set(subscriber.stream, subscriber);
      fresh.add(subscriber);
      if (subscribers.size === 1) nudge();
    },
    leave: (stream) => {
      const subscriber = subscribers.get(stream);
      if (subscriber) fresh.delete(subscriber);
      subscribers.delete(stream);
    },
    nudge: () => {
      if (subscribers.size > 0) nudge();
    },
  };
}

const organisationOf = ({ viewer }: Subscriber): string => viewer.person.organisationId;
const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

const versionOf = ({ view: { status, cancelling, progress, counts, reportKey, reversed } }: ReadImport): string =>
  JSON.stringify([status, cancelling, progress, counts, reportKey, reversed]);
