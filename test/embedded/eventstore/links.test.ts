import { randomUUID } from "node:crypto";
import { BACKWARDS, binaryEvent, END, type EventStoreDBClient, type RecordedEvent, START, streamNameFilter } from "@eventstore/db-client";
import { expect, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { collect, numbered, useEventStore } from "./events.js";

let client: EventStoreDBClient;
useEventStore((started) => {
  ({ client } = started);
});

interface Resolved {
  event?: RecordedEvent;
  link?: RecordedEvent;
  commitPosition?: bigint;
}

const linkTo = (target: string) => binaryEvent({ type: "$>", data: Buffer.from(target) });
const nameOf = (event: RecordedEvent | undefined): string => (event ? `${event.streamId.split("-")[0]}@${event.revision}` : "none");
const show = ({ event, link }: Resolved): string => (link ? `${nameOf(link)} for ${nameOf(event)}` : nameOf(event));

/** Three events, and a stream of links: to the second, the third, one that never was, a stream that never was, and no link at all. */
async function linked() {
  const run = randomUUID();
  const [target, links] = [`target-${run}`, `links-${run}`];
  await client.appendToStream(target, numbered(0, 3));
  await client.appendToStream(links, [linkTo(`1@${target}`), linkTo(`2@${target}`), linkTo(`3@${target}`)]);
  await client.appendToStream(links, [linkTo(`0@missing-${run}`), linkTo(target), ...numbered(9, 1)]);
  return { run, target, links };
}

async function shown(source: AsyncIterable<Resolved>): Promise<string[]> {
  const lines: string[] = [];
  for await (const resolved of source) lines.push(show(resolved));
  return lines;
}

const RESOLVED = ["links@0 for target@1", "links@1 for target@2", "links@2 for none", "links@3 for none", "links@4 for none", "links@5"];

test("links come with what they stand for where that is asked for, forwards, backwards and in $all", async () => {
  const { links } = await linked();
  expect(await shown(client.readStream(links))).toEqual(["links@0", "links@1", "links@2", "links@3", "links@4", "links@5"]);
  expect(await shown(client.readStream(links, { resolveLinkTos: true }))).toEqual(RESOLVED);
  expect(await shown(client.readStream(links, { resolveLinkTos: true, direction: BACKWARDS, fromRevision: END, maxCount: 2 }))).toEqual(
    RESOLVED.slice(-2).reverse(),
  );
  const all = await shown(client.readAll({ resolveLinkTos: true, fromPosition: START }));
  expect(all.slice(-6)).toEqual(RESOLVED);
});

test("each keeps its own position; the reader's is the link's", async () => {
  const { target, links } = await linked();
  const [, second] = await collect(client.readStream(target));
  for await (const { event, link, commitPosition } of client.readStream(links, { resolveLinkTos: true, maxCount: 1 })) {
    expect(event).toEqual(second);
    expect(link).toMatchObject({ type: "$>", streamId: links, revision: 0n });
    expect(commitPosition).toBe(link?.position?.commit);
  }
});

test("what its stream no longer shows is not found by a link either", async () => {
  const { target, links } = await linked();
  await client.setStreamMetadata(target, { truncateBefore: 2 });
  expect((await shown(client.readStream(links, { resolveLinkTos: true }))).slice(0, 2)).toEqual([
    "links@0 for none",
    "links@1 for target@2",
  ]);
  await client.deleteStream(target);
  expect((await shown(client.readStream(links, { resolveLinkTos: true }))).slice(0, 2)).toEqual(["links@0 for none", "links@1 for none"]);
});

test("a subscriber gets them resolved, while it catches up and live, by the link's own stream", async () => {
  const { run, target, links } = await linked();
  const filter = streamNameFilter({ prefixes: [links] });
  const subscriptions = [
    client.subscribeToStream(links, { resolveLinkTos: true }),
    client.subscribeToAll({ resolveLinkTos: true, filter, fromPosition: START }),
  ];
  const seen: string[][] = [[], []];
  let live = 0;
  for (const [index, subscription] of subscriptions.entries()) {
    subscription.on("data", (resolved: Resolved) => seen[index]?.push(show(resolved)));
    subscription.on("caughtUp", () => {
      live += 1;
    });
  }
  await eventually(() => live === 2, "both to be live");
  await client.appendToStream(target, numbered(3, 1));
  await client.appendToStream(`links-${run}`, linkTo(`3@${target}`));
  const wanted = [...RESOLVED, "links@6 for target@3"];
  await eventually(() => seen.every((lines) => lines.length >= wanted.length), "the live link");
  for (const subscription of subscriptions) await subscription.unsubscribe();
  expect(seen).toEqual([wanted, wanted]);
});
