// Questions to an event store, one per line, and the answers a real EventStoreDB 23.10 gave to them through this client.
// A line reads `question -> answer`. This file asks the question and writes the store's answer in the same form. `*Questions.ts` hold the lines.
import { randomUUID } from "node:crypto";
import { EventStoreDBClient, FORWARDS, jsonEvent, type ReadPosition, type RecordedEvent, START } from "@eventstore/db-client";
import { v5 as uuidv5 } from "uuid";
import { createFollowers } from "./followers.js";
import { deleteRevisionOf, directionOf, faultOf, fromOf, revisionOf, type Words, wordsOf } from "./words.js";

export type Path = "batch" | "classic";

export interface Asker {
  /** `hoped` is the expected answer. It only says how many of a subscription's events to wait for. */
  ask(question: string, hoped: string): Promise<string>;
  close(): Promise<void>;
}

const DEADLINE_MS = 10_000;

/** Each case has its own asker with its own streams, ids and subscriptions, so that all cases can share a store. */
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
    /** This case's events in $all. `from` is an index into them. */
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
