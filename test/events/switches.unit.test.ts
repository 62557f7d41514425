// A switch over the events of a stream must have a case for each of them. If it returns a value, the compiler checks this. If it returns
// nothing, `event satisfies never` must follow it, so that the compiler checks it too.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isEventType } from "../../src/events/registry.js";

interface Switch {
  readonly at: string;
  readonly body: string;
  /** The first line after the closing brace. */
  readonly after: string;
}

/** Finds switches by indentation: the formatter puts the closing brace in the column of its `switch`. */
function switchesOf(file: string, text: string): Switch[] {
  const lines = text.split("\n");
  return lines.flatMap((line, start) => {
    const [, indent] = /^(\s*)switch \(/.exec(line) ?? [];
    if (indent === undefined) return [];
    const end = lines.findIndex((each, index) => index > start && each === `${indent}}`);
    return [{ at: `${file}:${start + 1}`, body: lines.slice(start, end).join("\n"), after: lines[end + 1] ?? "" }];
  });
}

const overEvents = ({ body }: Switch) => [...body.matchAll(/case "(\w+)"/g)].some(([, type]) => isEventType(type as string));
const returnsNothing = ({ body }: Switch) => /\b(return|break|continue);/.test(body);

test("a switch over events has no default, and `satisfies never` follows it if it returns nothing", async () => {
  const files = (await readdir("src", { recursive: true })).filter((file) => /\.tsx?$/.test(file)).map((file) => join("src", file));
  const switches = (await Promise.all(files.map(async (file) => switchesOf(file, await readFile(file, "utf8"))))).flat().filter(overEvents);
  expect(switches.length).toBeGreaterThan(10);
  expect(switches.filter(({ body }) => /\bdefault:/.test(body))).toEqual([]);
  const silent = switches.filter(returnsNothing);
  expect(silent.length).toBeGreaterThan(5);
  expect(silent.filter(({ after }) => !/^\s*\w+ satisfies never;/.test(after)).map(({ at }) => at)).toEqual([]);
});
