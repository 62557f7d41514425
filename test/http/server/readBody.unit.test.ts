import { EventEmitter, once } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { createBodyReader, uncountedBytes } from "../../../src/http/server/readBody.js";

describe("a process holds a bounded number of bytes of request bodies at once,", () => {
  const counted = (size: number) => uncountedBytes + size;
  const sized = (size: number) =>
    new Request("http://x", { method: "POST", body: "x".repeat(size), headers: { "content-length": String(size) } });
  const chunked = (body: ReadableStream) => new Request("http://x", { method: "POST", body, duplex: "half" } as RequestInit);
  const lengthOf = async ({ byteLength }: Uint8Array) => byteLength;
  const limit = counted(200);
  const recheckAccess = async () => undefined;
  const bounds = { limit, organisationId: "a", recheckAccess };

  test("and accepts more as soon as a body is released", async () => {
    const withBody = createBodyReader({ maxHeld: 250 });
    const signals = new EventEmitter();
    const holding = withBody(sized(counted(150)), bounds, async (bytes) => {
      await once(signals, "release");
      return bytes.byteLength;
    });
    await expect.poll(() => signals.listenerCount("release")).toBe(1);
    await expect(withBody(sized(counted(101)), bounds, lengthOf)).rejects.toMatchObject({ name: "TooBusy" });
    await expect(withBody(chunked(new Blob(["x".repeat(counted(101))]).stream()), bounds, lengthOf)).rejects.toMatchObject({
      name: "TooBusy",
    });
    expect(await withBody(sized(counted(100)), bounds, lengthOf)).toBe(counted(100));
    signals.emit("release");
    expect(await holding).toBe(counted(150));
    expect(await withBody(sized(counted(101)), bounds, lengthOf)).toBe(counted(101));
  });

  test("not counting small bodies and bytes that have not arrived", async () => {
    const withBody = createBodyReader({ maxHeld: 200 });
    const slow = new TransformStream<Uint8Array, Uint8Array>();
    const dribbling = withBody(chunked(slow.readable), bounds, lengthOf);
    const writer = slow.writable.getWriter();
    await writer.write(Buffer.from("x"));
    expect(await withBody(sized(limit), bounds, lengthOf)).toBe(limit);
    await writer.write(Buffer.alloc(limit - 1));
    await expect(withBody(sized(counted(1)), bounds, lengthOf)).rejects.toMatchObject({ name: "TooBusy" });
    expect(await withBody(sized(uncountedBytes), bounds, lengthOf)).toBe(uncountedBytes);
    await writer.close();
    expect(await dribbling).toBe(limit);
  });

  test("and an organisation a bounded part of them", async () => {
    const withBody = createBodyReader({ maxHeld: 250, maxPerOwner: 100 });
    const signals = new EventEmitter();
    const hold = (organisationId: string, size: number) =>
      withBody(sized(counted(size)), { limit, organisationId, recheckAccess }, () => once(signals, "release"));
    const refused = (organisationId: string, size: number) =>
      expect(withBody(sized(counted(size)), { limit, organisationId, recheckAccess }, lengthOf)).rejects.toMatchObject({
        name: "TooBusy",
      });
    const holding = [hold("a", 60), hold("a", 40)];
    await expect.poll(() => signals.listenerCount("release")).toBe(2);
    await refused("a", 1);
    await refused("b", 101);
    holding.push(hold("b", 99), hold("c", 51));
    await expect.poll(() => signals.listenerCount("release")).toBe(4);
    await refused("b", 1); // b has one byte left of its own part, but the process has none
    signals.emit("release");
    await Promise.all(holding);
    expect(await withBody(sized(counted(100)), bounds, lengthOf)).toBe(counted(100));
  });

  test("and waits a minute for a whole body, though bytes of it go on arriving", async () => {
    vi.useFakeTimers();
    try {
      const endless = new ReadableStream({
        pull: (controller) => new Promise<void>((resolve) => setTimeout(() => resolve(controller.enqueue(Buffer.from("x"))), 25_000)),
      });
      const refused = expect(createBodyReader()(chunked(endless), bounds, lengthOf)).rejects.toMatchObject({ code: "requestTimeout" });
      await vi.advanceTimersByTimeAsync(60_000);
      await refused;
    } finally {
      vi.useRealTimers();
    }
  });
});
