import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createStreams, type OpenStream, type StreamsOptions, streamMessage } from "../../../src/http/portal/live/streams.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp(options: Partial<StreamsOptions> = {}) {
  const closing = new AbortController();
  const signedIn = vi.fn(async (sessions: readonly string[]) => new Set(sessions));
  const streams = createStreams({ signedIn, closing: closing.signal, onError: () => undefined, ...options });
  const opened: OpenStream[] = [];
  const ended: OpenStream[] = [];
  const cut = vi.fn();
  const open = (organisationId = "acme", session = "one", left = new AbortController().signal) =>
    streams
      .open({ organisationId, session, left, cut, onOpen: (stream) => opened.push(stream), onEnd: (stream) => ended.push(stream) })
      .getReader();
  return { open, opened, ended, cut, closing, signedIn };
}

const textOf = ({ value }: { readonly value?: Uint8Array | undefined }) => new TextDecoder().decode(value);

describe("a reader", () => {
  test("gets messages in order, and when it is slow only the latest of each kind", async () => {
    const { open, opened } = setUp();
    const reader = open();
    expect(textOf(await reader.read())).toMatch(/^retry: \d+\n\n$/);
    const [stream] = opened;
    for (let n = 0; n < 10_000; n += 1) stream?.send(`row ${n % 3}`, streamMessage({ n }));
    expect(textOf(await reader.read())).toBe('data: {"n":9997}\n\ndata: {"n":9998}\n\ndata: {"n":9999}\n\n');
    const next = reader.read();
    stream?.send("row", streamMessage("later"));
    expect(textOf(await next)).toBe('data: "later"\n\n');
  });

  test("with too many waiting messages is ended, and one that reads nothing for a minute has its connection cut", async () => {
    const { open, opened, ended, cut } = setUp();
    const [many, stuck] = [open(), open()];
    await many.read();
    await stuck.read();
    for (let n = 0; n < 501; n += 1) opened[0]?.send(`row ${n}`, streamMessage(n));
    expect(ended).toEqual([opened[0]]);
    expect(cut).not.toHaveBeenCalled();
    expect((await many.read()).done).toBe(true);
    opened[1]?.send("row", streamMessage(1));
    await vi.advanceTimersByTimeAsync(65_000);
    expect(ended).toEqual(opened);
    expect(cut).toHaveBeenCalledOnce();
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
    const { open, opened, ended, signedIn } = setUp();
    open();
    await vi.advanceTimersByTimeAsync(10_000);
    expect([opened.length, signedIn.mock.calls.length]).toEqual([0, 0]);
    const reader = open();
    await reader.read();
    await reader.cancel();
    expect(ended).toEqual(opened);
    const { length } = signedIn.mock.calls;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(signedIn.mock.calls.length).toBeLessThanOrEqual(length + 1);
  });
});

describe("sessions", () => {
  test("are checked in one query, and a stream ends with its session", async () => {
    const gone = new Set<string>();
    const signedIn = vi.fn(async (sessions: readonly string[]) => new Set(sessions.filter((session) => !gone.has(session))));
    const { open, opened, ended } = setUp({ signedIn });
    await Promise.all(["a", "b", "b", "c"].map((session) => open("acme", session).read()));
    gone.add("b");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(signedIn.mock.calls).toEqual([[["a", "b", "c"]]]);
    expect(ended).toEqual([opened[1], opened[2]]);
  });

  test("that cannot be checked for half a minute end their streams, and not earlier", async () => {
    const { open, ended } = setUp({ signedIn: () => Promise.reject(new Error("no database")) });
    await open().read();
    await vi.advanceTimersByTimeAsync(29_000);
    expect(ended).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(ended).toHaveLength(1);
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
    expect(() => open(...refused)).toThrow("Too many pages are open");
    if (welcome) await open(...welcome).read();
    await readers[0]?.cancel();
    await open(...refused).read();
  });

  test("hold before a stream is read, and a browser that leaves or had left keeps no place, whether it has read or not", async () => {
    const { open, opened, ended } = setUp({ limits });
    const leaving = new AbortController();
    await open("acme", "one", leaving.signal).read();
    open("acme", "one", leaving.signal);
    expect(() => open()).toThrow("Too many pages are open");
    leaving.abort();
    expect(ended).toEqual(opened);
    for (let n = 0; n < 10; n += 1) open("acme", "one", leaving.signal);
    await Promise.all([open().read(), open().read()]);
    expect(() => open()).toThrow("Too many pages are open");
  });
});

test("all streams end when the API begins to stop, and none begins after that", async () => {
  const { open, opened, ended, closing } = setUp();
  const reader = open();
  await reader.read();
  closing.abort();
  expect((await reader.read()).done).toBe(true);
  expect(ended).toEqual(opened);
  const late = open();
  await late.read();
  expect(opened).toHaveLength(1);
});
