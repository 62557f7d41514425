import { expect, test } from "vitest";
import { escapeControls, tableLines } from "../../src/cli/outcome.js";

test.each([
  ["a\u001b[31m\nStatus        failed", "a\\u001b[31m\\nStatus        failed"],
  ["\0\r\t\u007f\u0085\u009b", "\\u0000\\r\\t\\u007f\\u0085\\u009b"],
  ["line\u2028paragraph\u2029", "line\\u2028paragraph\\u2029"],
  ["\u202eevil\u202c \u2066x\u2069 \u200e\u200f\u061c", "\\u202eevil\\u202c \\u2066x\\u2069 \\u200e\\u200f\\u061c"],
  ["Žižkov 東京 👩‍🚀 \\n", "Žižkov 東京 👩‍🚀 \\n"],
])("%j is shown as one line", (text, shown) => {
  expect(escapeControls(text)).toBe(shown);
});

test("a table's columns are as wide as what is shown in them", () => {
  expect(
    tableLines(
      ["NAME", "ID"],
      [
        ["a\nb", "1"],
        ["long name", "2"],
        ["\u001b\u001b", "3"],
      ],
    ),
  ).toEqual(["NAME          ID", "a\\nb          1", "long name     2", "\\u001b\\u001b  3"]);
});
