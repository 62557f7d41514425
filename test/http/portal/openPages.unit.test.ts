import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createOpenPages } from "../../../src/http/portal/live/openPages.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp(options: Partial<Parameters<typeof createOpenPages>[0]> = {}) {
  const closing = new AbortController();
  const now = new Map<string, string>();
  const readVersions = vi.fn(async (_: readonly string[]) => now as ReadonlyMap<string, string>);
  const findSignedIn = vi.fn(async (sessions: readonly string[]) => new Set(sessions));
  const pages = createOpenPages({ readVersions, findSignedIn, closing: closing.signal, logger: { debug: () => undefined }, ...options });
  const closeConnection = vi.fn();
  const open = (
    organisationId = "acme",
    session = "one",
    clientLeft = new AbortController().signal,
    page = { watched: "list", version: "1" },
  ) => pages.open({ organisationId, session, clientLeft, closeConnection, ...page }).getReader();
  return { open, now, readVersions, closeConnection, closing, findSignedIn };
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

const textOf = ({ value }: { readonly value?: Uint8Array | undefined }) => new TextDecoder().decode(value);

/** Whether the stream has ended. Undefined while it waits for something to send. */
async function hasEnded(reader: Reader): Promise<boolean | undefined> {
  const next = reader.read().then(({ done }) => done);
  return Promise.race([next, vi.advanceTimersByTimeAsync(0).then(() => undefined)]);
}

describe("a page", () => {
  test("is told once that it is behind, and of the latest version only", async () => {
    const { open, now } = setUp();
    const reader = open();
    expect(textOf(await reader.read())).toMatch(/^retry: \d+\n\n$/);
    now.set("list", "1");
    await vi.advanceTimersByTimeAsync(2_000);
    for (const version of ["2", "3"]) {
      now.set("list", version);
      await vi.advanceTimersByTimeAsync(2_000);
    }
    for (const version of ["3", "4"]) {
      const next = reader.read();
      now.set("list", version);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(textOf(await next)).toBe(`data: {"version":"${version}"}\n\n`);
    }
  });

  test("waits for its turn where many follow the same, and one of another organisation does not wait for them", async () => {
    const { open, now } = setUp();
    const told: string[] = [];
    const listen = async (name: string, organisationId: string) => {
      const reader = open(organisationId, name);
      await reader.read();
      void reader.read().then(() => told.push(name));
    };
    for (let n = 0; n < 12; n += 1) await listen(`acme ${n}`, "acme");
    await listen("other", "other");
    now.set("list", "2");
    await vi.advanceTimersByTimeAsync(800);
    expect(told).toEqual(["acme 0", "acme 1", "acme 2", "acme 3", "acme 4", "other"]);
    await vi.advanceTimersByTimeAsync(800);
    expect(told).toHaveLength(11);
    await vi.advanceTimersByTimeAsync(800);
    expect(told).toHaveLength(13);
  });

  test("is told when the database answers again", async () => {
    let isAway = true;
    const readVersions = async () => {
      if (isAway) throw new Error("no database");
      return new Map([["list", "2"]]);
    };
    const { open } = setUp({ readVersions });
    const reader = open();
    await reader.read();
    const next = reader.read();
    await vi.advanceTimersByTimeAsync(3_000);
    isAway = false;
    await vi.advanceTimersByTimeAsync(6_000);
    expect(textOf(await next)).toBe('data: {"version":"2"}\n\n');
  });

  test("that reads nothing for a minute has its connection cut", async () => {
    const { open, now, closeConnection } = setUp();
    const reader = open();
    await reader.read();
    now.set("list", "2");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(closeConnection).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(closeConnection).toHaveBeenCalledOnce();
    expect((await reader.read()).done).toBe(true);
  });

  test("gets a keep-alive comment after fifteen seconds without a message", async () => {
    const { open } = setUp();
    const reader = open();
    await reader.read();
    const next = reader.read();
    await vi.advanceTimersByTimeAsync(18_000);
    expect(textOf(await next)).toBe(": still here\n\n");
  });

  test("that leaves is removed, and one that never reads is never added", async () => {
    const { open, readVersions, findSignedIn } = setUp();
    open();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([readVersions.mock.calls.length, findSignedIn.mock.calls.length]).toEqual([0, 0]);
    const reader = open();
    await reader.read();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(readVersions.mock.calls).toEqual([[["list"]]]);
    await reader.cancel();
    const { length } = readVersions.mock.calls;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(readVersions.mock.calls.length).toBeLessThanOrEqual(length + 1);
  });
});

describe("sessions", () => {
  test("are checked in one query, and a stream ends with its session", async () => {
    const gone = new Set<string>();
    const findSignedIn = vi.fn(async (sessions: readonly string[]) => new Set(sessions.filter((session) => !gone.has(session))));
    const { open } = setUp({ findSignedIn });
    const readers = ["a", "b", "b", "c"].map((session) => open("acme", session));
    await Promise.all(readers.map((reader) => reader.read()));
    gone.add("b");
    await vi.advanceTimersByTimeAsync(2_500);
    expect(findSignedIn.mock.calls).toEqual([[["a", "b", "c"]]]);
    expect(await Promise.all(readers.map(hasEnded))).toEqual([undefined, true, true, undefined]);
  });

  test("that cannot be checked for half a minute end their streams, and not earlier", async () => {
    const { open } = setUp({ findSignedIn: () => Promise.reject(new Error("no database")) });
    const reader = open();
    await reader.read();
    const next = reader.read();
    await vi.advanceTimersByTimeAsync(29_000);
    expect(textOf(await next)).toBe(": still here\n\n");
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await hasEnded(reader)).toBe(true);
  });
});

describe("limits", () => {
  const limits = { inAll: 5, perOrganisation: 3, perSession: 2 };

  test.each([
    [
      "a session",
      [
        ["acme", "one"],
        ["acme", "one"],
      ],
      ["acme", "one"],
      ["acme", "two"],
    ],
    [
      "an organisation",
      [
        ["acme", "one"],
        ["acme", "two"],
        ["acme", "three"],
      ],
      ["acme", "four"],
      ["other", "four"],
    ],
    [
      "the process",
      [
        ["a", "1"],
        ["b", "2"],
        ["c", "3"],
        ["d", "4"],
        ["e", "5"],
      ],
      ["f", "6"],
      undefined,
    ],
  ] as const)("of %s", async (_, first, refused, welcome) => {
    const { open } = setUp({ limits });
    const readers = first.map(([organisationId, session]) => open(organisationId, session));
    await Promise.all(readers.map((reader) => reader.read()));
    expect(() => open(...refused)).toThrow("Too many pages with live updates are open");
    if (welcome) await open(...welcome).read();
    await readers[0]?.cancel();
    await open(...refused).read();
  });

  test("hold before a stream is read, and a browser that leaves or had left keeps no place, whether it has read or not", async () => {
    const { open, readVersions } = setUp({ limits });
    const leaving = new AbortController();
    await open("acme", "one", leaving.signal).read();
    open("acme", "one", leaving.signal);
    expect(() => open()).toThrow("Too many pages with live updates are open");
    leaving.abort();
    for (let n = 0; n < 10; n += 1) open("acme", "one", leaving.signal);
    await Promise.all([open().read(), open().read()]);
    expect(() => open()).toThrow("Too many pages with live updates are open");
    expect(readVersions).not.toHaveBeenCalled();
  });
});

test("all streams end when the API begins to stop, and none begins after that", async () => {
  const { open, closing, readVersions } = setUp();
  const reader = open();
  await reader.read();
  closing.abort();
  expect((await reader.read()).done).toBe(true);
  const late = open();
  await late.read();
  expect((await late.read()).done).toBe(true);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(readVersions.mock.calls.length).toBeLessThanOrEqual(1);
});
