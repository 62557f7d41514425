// A switch over the events of a stream names each of them. One that returns a value does not compile otherwise; one that returns nothing
// has to say so itself: `event satisfies never` after it.
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

/** The formatter puts the closing brace below the `switch`. */
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

test("a switch over events that returns nothing does not compile while it leaves one out", async () => {
  const files = (await readdir("src", { recursive: true })).filter((file) => /\.tsx?$/.test(file)).map((file) => join("src", file));
  const switches = (await Promise.all(files.map(async (file) => switchesOf(file, await readFile(file, "utf8"))))).flat().filter(overEvents);
  expect(switches.length).toBeGreaterThan(10);
  expect(switches.filter(({ body }) => /\bdefault:/.test(body))).toEqual([]);
  const silent = switches.filter(returnsNothing);
  expect(silent.length).toBeGreaterThan(5);
  expect(silent.filter(({ after }) => !/^\s*\w+ satisfies never;/.test(after)).map(({ at }) => at)).toEqual([]);
});
