import {
  type AllStreamSubscription,
  type EventStoreDBClient,
  eventTypeFilter,
  type Position,
  type RecordedEvent,
  type StreamSubscription,
  streamNameFilter,
} from "@eventstore/db-client";
import { eventually } from "../../support/eventually.js";
import { faultOf, fromOf, type Words } from "./words.js";

interface Case {
  streamOf(name?: string): string;
  run: string;
  isOwn(event: RecordedEvent | undefined): event is RecordedEvent;
  show(event: RecordedEvent): string;
  positionOf(ordinal: number): Promise<Position | undefined>;
}

interface Follower {
  subscription: AllStreamSubscription | StreamSubscription;
  seen: string[];
  confirmed: number;
  caughtUp: number;
  checkpoints: number;
  end: string | undefined;
}

/** Subscriptions of a case by their name: `follow F in s`, later `sees F -> a@0 b@1`. */
export function createFollowers(client: EventStoreDBClient, { streamOf, run, isOwn, show, positionOf }: Case) {
  const followers = new Map<string, Follower>();

  /**
   * Gives a message that should not come the time to come. The store sends messages of earlier calls first, so what belongs to an earlier
   * append or subscription is there when a later subscriber has got the whole log. It is done three times, should calls overtake each other.
   */
  async function quiet(): Promise<void> {
    for (let n = 0; n < 3; n += 1) {
      let isLive = false;
      const later = client.subscribeToAll({ fromPosition: "start" });
      later.on("data", () => undefined).on("caughtUp", () => (isLive = true));
      await eventually(() => isLive, "a later subscriber to catch up");
      await later.unsubscribe();
    }
  }

  function add(name: string, open: (checkpoint: () => void) => Follower["subscription"]): string {
    const follower: Follower = { subscription: undefined as never, seen: [], confirmed: 0, caughtUp: 0, checkpoints: 0, end: undefined };
    follower.subscription = open(() => {
      follower.checkpoints += 1;
    });
    let highest = 0n;
    follower.subscription.on("data", ({ event }: { event?: RecordedEvent }) => {
      if (!isOwn(event)) return;
      const commit = event.position?.commit ?? 0n;
      if (commit <= highest && commit !== 0n) follower.seen.push("out of order:");
      highest = commit;
      follower.seen.push(show(event));
    });
    follower.subscription.on("confirmation", () => {
      follower.confirmed += 1;
    });
    follower.subscription.on("caughtUp", () => {
      follower.caughtUp += 1;
    });
    follower.subscription.on("error", (error: unknown) => {
      follower.end = faultOf(error);
    });
    followers.set(name, follower);
    return "following";
  }

  const named = (name = "F"): Follower => {
    const follower = followers.get(name);
    if (!follower) throw new Error(`there is no follower ${name}`);
    return follower;
  };

  /** `stream:x,y`, `stream:/regex/`, `type:...`; the streams are this case's own. */
  function filterOf(where: string, window: string, checkpointReached: () => void) {
    const [, on, expression = ""] = /^(stream|type):(.*)$/.exec(where) ?? [];
    const own = on === "stream" ? `${run}-` : "";
    const regex = /^\/\^(.*)\/$/.exec(expression)?.[1];
    const options = { maxSearchWindow: Number(window), checkpointInterval: 1, checkpointReached: async () => checkpointReached() };
    const filter = on === "stream" ? streamNameFilter : eventTypeFilter;
    if (regex !== undefined) return filter({ ...options, regex: `^${own}${regex}` });
    return filter({ ...options, prefixes: expression.split(",").map((prefix) => `${own}${prefix}`) });
  }

  const asks = {
    follow: async ({ first = "F", from = "start", in: stream }: Words): Promise<string> =>
      add(first, () => client.subscribeToStream(streamOf(stream), { fromRevision: fromOf(from) })),
    /** `from` is an index into this case's events. */
    async "follow-all"({ first = "F", from = "start", where, window = "32" }: Words): Promise<string> {
      const fromPosition = from === "start" || from === "end" ? from : await positionOf(Number(from));
      if (!fromPosition) throw new Error(`there is no event ${from}`);
      return add(first, (checkpoint) =>
        client.subscribeToAll({ fromPosition, ...(where ? { filter: filterOf(where, window, checkpoint) } : {}) }),
      );
    },
    /** Waits for as many events as the expected answer has. The answer shows all that came, also more. */
    async sees({ first, count }: Words): Promise<string> {
      const follower = named(first);
      await eventually(() => follower.seen.length >= count || follower.end !== undefined, `event ${count} of ${first}`);
      return follower.seen.join(" ") || "nothing";
    },
    async "ends-with"({ first, hoped }: Words): Promise<string> {
      const { seen, end } = named(first);
      await eventually(() => seen.at(-1) === hoped || end !== undefined, `${hoped} to come to ${first}`);
      return seen.at(-1) ?? "nothing";
    },
    async "is-live"({ first }: Words): Promise<string> {
      const follower = named(first);
      await eventually(() => follower.caughtUp > 0);
      return follower.caughtUp === 1 ? "yes" : `${follower.caughtUp} times`;
    },
    /** The subscription is confirmed but never caught up, since its stream does not exist. */
    async waits({ first }: Words): Promise<string> {
      const follower = named(first);
      await eventually(() => follower.confirmed > 0);
      await quiet();
      return follower.caughtUp === 0 ? "yes" : "it is live";
    },
    async "is-confirmed"({ first }: Words): Promise<string> {
      return named(first).confirmed > 0 ? "yes" : "no";
    },
    /** Waits for as many checkpoints as the expected answer says. The answer shows all that came, also more. */
    async "checkpoints-of"({ first, hoped }: Words): Promise<string> {
      const follower = named(first);
      await eventually(() => follower.checkpoints >= Number(hoped) || follower.end !== undefined, `checkpoint ${hoped} of ${first}`);
      await quiet();
      return String(follower.checkpoints);
    },
    async "has-checkpoints"({ first }: Words): Promise<string> {
      const follower = named(first);
      await eventually(() => follower.checkpoints > 0);
      return "yes";
    },
    async ends({ first }: Words): Promise<string> {
      const follower = named(first);
      await eventually(() => follower.end !== undefined);
      return follower.end as string;
    },
  };

  const close = async (): Promise<void> => {
    for (const { subscription } of followers.values()) await subscription.unsubscribe();
  };
  return { asks, close };
}
