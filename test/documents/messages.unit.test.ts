// Refusals have one style: no period at the end, and one sentence for one fact. A message about a whole file has a period, as the contract's has.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folders = ["src/commands", "src/domain", "src/http/api", "src/http/server", "src/http/portal", "src/main", "src/cli"];
const thrown = folders.flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .flatMap((name) => messagesIn(join(folder, name))),
);

/** The last text of each `new Rejection(...)` and its like. */
function messagesIn(file: string): { file: string; text: string }[] {
  const source = readFileSync(file, "utf8");
  return [...source.matchAll(/new (?:Rejection|Problem|CommandFault|StoreUnavailable)\(([^;]*?)\)[;,]?\n/g)].flatMap(([, inside = ""]) =>
    [...inside.matchAll(/"([^"]{12,})"|`([^`]{12,})`/g)].slice(-1).map(([, plain, template]) => ({ file, text: plain ?? template ?? "" })),
  );
}

test("a refusal has no period at its end", () => {
  expect(thrown.length).toBeGreaterThan(60);
  expect(thrown.filter(({ text }) => text.endsWith(".") && !/^The (file|error report) (is|has) /.test(text))).toEqual([]);
});

test("an import that is not there has one sentence", () => {
  const said = thrown.filter(({ text }) => /^There is no (such )?import/.test(text)).map(({ text }) => text);
  expect(new Set(said.filter((text) => !text.includes("$")))).toEqual(new Set(["There is no import with this id"]));
});
