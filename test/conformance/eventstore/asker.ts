// Questions to an event store, one per line, and the answers a real EventStoreDB 23.10 gave to them through this client.
// A line reads `question -> answer`; this file puts the question and writes the answer the same way. `questions*.ts` hold the lines.
import { randomUUID } from "node:crypto";
import {
  ANY,
  type AppendExpectedRevision,
  BACKWARDS,
  type Direction,
  EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  type ReadPosition,
  type RecordedEvent,
  START,
  STREAM_EXISTS,
} from "@eventstore/db-client";
import { v5 as uuidv5 } from "uuid";
import { createFollowers } from "./followers.js";

export type Path = "batch" | "classic";

export interface Asker {
  /** The answer that is hoped for only says how long to wait for a subscription's events. */
  ask(question: string, hoped: string): Promise<string>;
  close(): Promise<void>;
}

const DEADLINE_MS = 10_000;

/** One per case: streams, ids and subscriptions are its own, so that cases share a store without meeting. */
export function createAsker(address: string, path: Path): Asker {
  const client = EventStoreDBClient.connectionString(address);
  const run = randomUUID();
  const streams = new Map<string, string>();
  const credentials = path === "classic" ? { credentials: { username: "admin", password: "changeit" } } : {};

  const streamOf = (name = "s"): string => {
    const full = name.startsWith("$$") ? `$$${run}-${name.slice(2)}` : `${run}-${name}`;
    streams.set(full, name);
    return full;
  };
  const idOf = (letter: string): string => uuidv5(letter, run);
  const letters = new Map([..."abcdefghijklmnopqrstuvwxyz"].map((letter) => [idOf(letter), letter]));
  const show = (event: RecordedEvent): string => `${event.type.startsWith("$") ? event.type : letters.get(event.id)}@${event.revision}`;
  const isOwn = (event: RecordedEvent | undefined): event is RecordedEvent => event?.streamId.includes(run) ?? false;
  const followers = createFollowers(client, {
    streamOf,
    run,
    isOwn,
    show,
    positionOf: async (ordinal) => (await everything())[ordinal]?.position,
  });

  async function everything(): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const { event } of client.readAll({ direction: FORWARDS, fromPosition: START })) if (isOwn(event)) events.push(event);
    return events;
  }

  const asks: Record<string, (words: Words) => Promise<string>> = {
    async append({ first, at, in: stream, size }) {
      const events = [...(first ?? "").replace("-", "")].map((letter) =>
        jsonEvent({ id: idOf(letter), type: `t-${letter}`, data: { letter, pad: "x".repeat(Number(size ?? 0)) }, metadata: { letter } }),
      );
      const options = { expectedRevision: revisionOf(at), deadline: DEADLINE_MS, ...credentials };
      const { nextExpectedRevision, position } = await client.appendToStream(streamOf(stream), events, options);
      return position ? String(nextExpectedRevision) : `${nextExpectedRevision}, no position`;
    },
    async delete({ at, in: stream }) {
      const { position } = await client.deleteStream(streamOf(stream), { expectedRevision: deleteRevisionOf(at) });
      return position ? "done" : "no position";
    },
    async tombstone({ at, in: stream }) {
      const { position } = await client.tombstoneStream(streamOf(stream), { expectedRevision: deleteRevisionOf(at) });
      return position ? "done" : "no position";
    },
    async describe({ first, at, in: stream }) {
      const result = await client.setStreamMetadata(streamOf(stream), JSON.parse(first ?? "{}"), { expectedRevision: revisionOf(at) });
      return String(result.nextExpectedRevision);
    },
    async description({ in: stream }) {
      const { metadata } = await client.getStreamMetadata(streamOf(stream));
      return metadata ? JSON.stringify(metadata) : "none";
    },
    async read({ first, from, max, in: stream }) {
      const backwards = first === "backwards";
      const events: string[] = [];
      const options = {
        direction: directionOf(backwards),
        fromRevision: fromOf(from ?? (backwards ? "end" : "start")),
        maxCount: Number(max ?? 1000),
      };
      for await (const { event } of client.readStream(streamOf(stream), options)) if (event) events.push(show(event));
      return events.join(" ") || "nothing";
    },
    /** Of $all, this case's events; `from` counts them. */
    async "read-all"({ first, from, max }) {
      const backwards = first === "backwards";
      const own = await everything();
      const fromPosition: ReadPosition | undefined = from === undefined ? START : own[Number(from)]?.position;
      if (!fromPosition) throw new Error(`there is no event ${from}`);
      const events: string[] = [];
      const options = {
        direction: directionOf(backwards),
        fromPosition,
        maxCount: max === undefined ? Number.MAX_SAFE_INTEGER : Number(max),
      };
      for await (const { event } of client.readAll(options)) if (isOwn(event)) events.push(show(event));
      return events.join(" ") || "nothing";
    },
    ...followers.asks,
  };

  return {
    async ask(question, hoped) {
      const words = { ...wordsOf(question), hoped, count: hoped.split("@").length - 1 };
      const action = asks[words.verb];
      if (!action) throw new Error(`no such question: ${question}`);
      try {
        return await action(words);
      } catch (error) {
        return faultOf(error);
      }
    },
    async close() {
      await followers.close();
      await client.dispose();
    },
  };
}

export interface Words {
  verb: string;
  first?: string;
  at?: string;
  in?: string;
  from?: string;
  max?: string;
  size?: string;
  where?: string;
  window?: string;
  /** The answer there should be, and how many events it holds. */
  hoped: string;
  count: number;
}

/** `append ab at 3 in x`: a verb, maybe a word, then pairs. */
function wordsOf(question: string): Omit<Words, "hoped" | "count"> {
  const [verb = "", ...rest] = question.trim().split(/\s+/);
  const words: Record<string, string> = {};
  const pairs = ["at", "in", "from", "max", "size", "where", "window"];
  while (rest.length > 0) {
    const word = rest.shift() as string;
    if (pairs.includes(word)) words[word] = rest.shift() as string;
    else if (words["first"] === undefined) words["first"] = word;
    else throw new Error(`what is "${word}" in "${question}"?`);
  }
  return { verb, ...words };
}

function revisionOf(word = "any"): AppendExpectedRevision {
  const named: Record<string, AppendExpectedRevision> = { any: ANY, none: NO_STREAM, exists: STREAM_EXISTS };
  return named[word] ?? BigInt(word);
}

const deleteRevisionOf = (word = "any"): typeof ANY | typeof NO_STREAM | bigint => {
  const revision = revisionOf(word);
  if (revision === STREAM_EXISTS) throw new Error("the client has no such delete");
  return revision;
};

const directionOf = (backwards: boolean): Direction => (backwards ? BACKWARDS : FORWARDS);

export const fromOf = (word: string): "start" | "end" | bigint => (word === "start" || word === "end" ? word : BigInt(word));

/** By the fields that applications look at. */
export function faultOf(error: unknown): string {
  const { type, expectedVersion, actualVersion, maxAppendSize, message } = error as Record<string, unknown>;
  const plain = (version: unknown): string => String(version).replace("no_stream", "none").replace("stream_exists", "exists");
  if (type === "wrong-expected-version") return `wrong version: expected ${plain(expectedVersion)}, is ${plain(actualVersion)}`;
  if (type === "maximum-append-size-exceeded") return `larger than ${maxAppendSize}`;
  return typeof type === "string" ? type : `fault: ${message}`;
}
