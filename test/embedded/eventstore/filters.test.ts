import { expect, test } from "vitest";
import { decode, encode, type Field, type Fields, type Message } from "../../../src/adapters/eventStore/protobuf.js";
import { type EventFilter, readFilter } from "../../../src/embedded/eventstore/protocol/filters.js";

const fields: Fields<{ filter: EventFilter | undefined }> = { 7: ["filter", readFilter] };

/** Which of the names a filter with this expression lets through. */
function matching(expression: Message, names: string[]): string[] {
  const { filter } = decode(encode([[7, [[1, expression]]]]), fields, { filter: undefined });
  return names.filter((name) => filter?.matches(name));
}

const regex = (text: string): Message => [[1, text]];
const prefixes = (...texts: string[]): Message => texts.map((text): Field => [2, text]);

test.each([
  ["a part", "b", ["Ab", "ab", "b"]],
  ["options before the expression", "(?i)^AB", ["Ab", "ab", "aB"]],
  ["the anchors by letter", "\\Aa.*\\z", ["ab", "aB"]],
  ["a backslash that is meant", "^\\\\A", ["\\A"]],
  ["what the client calls all but system events", "^[^\\$].*", ["Ab", "ab", "b", "aB", "\\A"]],
])("a regular expression: %s", (_, expression, wanted) => {
  expect(matching(regex(expression), ["Ab", "ab", "b", "aB", "$c", "\\A"])).toEqual(wanted);
});

test("a filter without any expression lets nothing through; one with both goes by the regular expression", () => {
  expect(matching([], ["a", "b"])).toEqual([]);
  expect(matching(prefixes("a", "c"), ["ab", "b", "cd"])).toEqual(["ab", "cd"]);
  expect(matching(prefixes(""), ["ab", "$b"])).toEqual(["ab", "$b"]);
  expect(matching([...regex("b"), ...prefixes("a")], ["ab", "a", "b"])).toEqual(["ab", "b"]);
});
