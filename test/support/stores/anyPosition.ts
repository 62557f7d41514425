import type { EventStore, Position } from "../../../src/ports/eventStore.js";

const isAfter = (a: Position, b: Position) => a.commit > b.commit || (a.commit === b.commit && a.prepare > b.prepare);

/**
 * The embedded node refuses to go on from a position at which there is no event. EventStoreDB goes on from the next event, and so does the
 * returned store: the product must not depend on the refusal.
 */
export function acceptingAnyPosition(store: EventStore): EventStore {
  const eventUpTo = async (from: Position | undefined): Promise<Position | undefined> => {
    let found: Position | undefined;
    await store.replay({ prefixes: [""] }, async ({ events }) => {
      for (const { position } of events) if (from && !isAfter(position, from)) found = position;
    });
    return found;
  };
  return {
    ...store,
    async follow(options, deal) {
      const { from } = options;
      await store.follow({ ...options, from: await eventUpTo(from) }, async (batch) => {
        const events = batch.events.filter(({ position }) => !from || isAfter(position, from));
        await deal({ ...batch, events, position: from && isAfter(from, batch.position) ? from : batch.position });
      });
    },
  };
}
