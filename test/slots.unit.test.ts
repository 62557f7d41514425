import { describe, expect, test } from "vitest";
import { createSlots, type Release, type Slots } from "../src/slots.js";

const open = (bounds: { maxHeld: number; maxPerOwner: number }, queue = { maxPerOwner: 10, maxWaitMs: 60_000 }) =>
  createSlots({ ...bounds, refusal: "all slots are taken", queue });

/** Takes slots for these owners, in this order, and keeps the names of those that got one. */
function queue(slots: Slots, names: readonly string[]) {
  const order: string[] = [];
  const held: Release[] = [];
  for (const name of names)
    void slots.take(name.charAt(0)).then((release) => {
      order.push(name);
      held.push(release);
    });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    order,
    settled,
    /** Gives back the slot that was taken first. */
    next: async () => {
      held.shift()?.();
      await settled();
    },
  };
}

test("slots are bounded in all and for each owner, and a slot that is given back twice is free once", () => {
  const { takeNow, countHeld } = createSlots({ maxHeld: 3, maxPerOwner: 2, refusal: "all slots are taken" });
  const held = [takeNow("a"), takeNow("a"), takeNow("b")];
  expect(() => takeNow("a")).toThrow("all slots are taken");
  expect(() => takeNow("c")).toThrow("all slots are taken");
  expect(countHeld()).toBe(3);
  held[0]?.();
  held[0]?.();
  expect(countHeld()).toBe(2);
  const again = takeNow("c");
  expect(() => takeNow("a")).toThrow();
  for (const release of [...held, again]) release();
  expect([takeNow("a"), takeNow("a"), takeNow("b")]).toHaveLength(3);
});

describe("who waits", () => {
  test("takes turns with other owners: one that joins last waits for one slot of each, not for all of theirs", async () => {
    const { order, settled, next } = queue(open({ maxHeld: 1, maxPerOwner: 1 }), ["a1", "a2", "a3", "b1", "b2", "c1"]);
    await settled();
    for (let n = 0; n < 5; n += 1) await next();
    expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
  });

  test("over its own bound waits for its own earlier ones, and holds up nobody else", async () => {
    const { order, settled, next } = queue(open({ maxHeld: 3, maxPerOwner: 2 }), ["a1", "a2", "a3", "a4", "b1"]);
    await settled();
    expect(order).toEqual(["a1", "a2", "b1"]);
    await next();
    expect(order).toEqual(["a1", "a2", "b1", "a3"]);
    await next();
    expect(order).toEqual(["a1", "a2", "b1", "a3", "a4"]); // nobody is left waiting after the test
  });

  test("is refused when its own line is full, or when the wait is too long", async () => {
    const slots = open({ maxHeld: 1, maxPerOwner: 1 }, { maxPerOwner: 1, maxWaitMs: 5 });
    const release = slots.takeNow("a");
    const [waits, tooMany] = [slots.take("a"), slots.take("a")].map((taken) => expect(taken).rejects.toThrow("all slots are taken"));
    await Promise.all([waits, tooMany]);
    release();
    slots.takeNow("a");
  });

  test("and leaves, or had left before, holds no slot and is handed none", async () => {
    const slots = open({ maxHeld: 1, maxPerOwner: 1 });
    const release = slots.takeNow("a");
    const leaving = new AbortController();
    const left = slots.take("b", leaving.signal);
    const stays = slots.take("b");
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    await expect(slots.take("b", leaving.signal)).rejects.toThrow("gone");
    release();
    (await stays)();
    slots.takeNow("c");
  });

  test("is known to others only where a slot of theirs would help", async () => {
    const slots = open({ maxHeld: 2, maxPerOwner: 1 });
    const held = [slots.takeNow("a"), slots.takeNow("b")];
    const own = slots.take("a");
    expect([slots.hasOtherWaiters("a"), slots.hasOtherWaiters("b")]).toEqual([false, false]);
    const other = slots.take("c");
    expect([slots.hasOtherWaiters("a"), slots.hasOtherWaiters("b"), slots.hasOtherWaiters("c")]).toEqual([true, true, false]);
    for (const release of held) release();
    for (const release of await Promise.all([own, other])) release();
  });
});

test("a slot is given back when its work ends, however it ends", async () => {
  const slots = open({ maxHeld: 1, maxPerOwner: 1 });
  await expect(slots.withSlot("a", () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  await expect(
    slots.withSlot("a", () => {
      throw new Error("threw");
    }),
  ).rejects.toThrow("threw");
  expect(await slots.withSlot("a", async () => 1)).toBe(1);
  slots.takeNow("a");
});
