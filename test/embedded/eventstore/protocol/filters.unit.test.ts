import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { encodeMessage, type Message, messageReader, type WireField } from "../../../../src/adapters/eventStore/protocol/protobuf.js";
import { encodeBlocks, newEvent } from "../../../../src/embedded/eventstore/log/blockEncoder.js";
import { runsOf } from "../../../../src/embedded/eventstore/log/reads.js";
import { type EventFilter, readFilter } from "../../../../src/embedded/eventstore/protocol/parseRequest.js";

const readWhole = messageReader(() => ({ filter: undefined as EventFilter | undefined }), { 7: ["filter", readFilter] });

/** The names that a filter with this expression accepts. */
function matching(expression: Message, names: string[]): string[] {
  const { filter } = readWhole(encodeMessage([[7, [[1, expression]]]]));
  return names.filter((name) => filter?.matches(name));
}

const regex = (text: string): Message => [[1, text]];
const prefixes = (...texts: string[]): Message => texts.map((text): WireField => [2, text]);

test.each([
  ["a part", "b", ["Ab", "ab", "b"]],
  ["options before the expression", "(?i)^AB", ["Ab", "ab", "aB"]],
  ["the anchors by letter", "\\Aa.*\\z", ["ab", "aB"]],
  ["an escaped backslash", "^\\\\A", ["\\A"]],
  ["the client's expression for all but system events", "^[^\\$].*", ["Ab", "ab", "b", "aB", "\\A"]],
])("a regular expression: %s", (_, expression, wanted) => {
  expect(matching(regex(expression), ["Ab", "ab", "b", "aB", "$c", "\\A"])).toEqual(wanted);
});

test("a filter without an expression accepts nothing; with prefixes and a regular expression only the latter counts", () => {
  expect(matching([], ["a", "b"])).toEqual([]);
  expect(matching(prefixes("a", "c"), ["ab", "b", "cd"])).toEqual(["ab", "cd"]);
  expect(matching(prefixes(""), ["ab", "$b"])).toEqual(["ab", "$b"]);
  expect(matching([...regex("b"), ...prefixes("a")], ["ab", "a", "b"])).toEqual(["ab", "b"]);
});

test("when none of a new block's types matches, the filter is asked once for each type, not for each event", () => {
  const events = Array.from({ length: 100 }, (_, n) =>
    newEvent({ id: randomUUID(), type: n % 10 === 0 ? "RowRejected" : "RowAccepted", data: Buffer.from("{}") }),
  );
  const [block] = encodeBlocks({ stream: "import-1", revision: 0, position: 1, createdAt: 1, events });
  if (!block) throw new Error("no block");
  const asked: string[] = [];
  const wanting = (type: string): EventFilter => ({
    on: "type",
    matches: (text) => asked.push(text) > 0 && text === type,
    window: 32,
    checkpointInterval: 32,
  });
  expect(runsOf(block, wanting("ImportCompleted"))).toEqual([]);
  expect(asked.sort()).toEqual(["RowAccepted", "RowRejected"]);
  expect(runsOf(block, wanting("RowRejected")).map(({ events }) => events)).toEqual(Array(10).fill(1));
});
