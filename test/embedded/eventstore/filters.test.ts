import { expect, test } from "vitest";
import { readFilter } from "../../../src/embedded/eventstore/filters.js";
import { bytesField, cursorOver, textField } from "../../../src/embedded/eventstore/wire.js";

/** Which of the names a filter with this expression lets through. */
function matching(expression: Buffer[], names: string[]): string[] {
  return names.filter(readFilter(cursorOver(bytesField(1, ...expression))).matches);
}

const regex = (text: string): Buffer[] => [textField(1, text)];
const prefixes = (...texts: string[]): Buffer[] => texts.map((text) => textField(2, text));

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
