// What the documents say about themselves and the repository: how long they are, where links lead, which files and scripts there are.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeApi } from "../../src/http/api/document/describeApi.js";
import { routes } from "../../src/http/api/routes/list.js";

const folders = ["docs", "packages", "bench", "test", "src", "scripts", "drizzle"];

const documents = [...readdirSync("."), ...folders.flatMap((folder) => filesIn(folder).map((name) => join(folder, name)))]
  .filter((path) => path.endsWith(".md") && !path.includes("node_modules"))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}

const words = (text: string) => text.split(/\s+/).filter((word) => word !== "").length;

test("all documents together have at most 24,000 words", () => {
  const written = documents.filter(({ path }) => path !== join("bench", "scale", "tables.md")); // a program writes that one
  expect(written.length).toBeGreaterThan(20);
  expect(written.reduce((sum, { text }) => sum + words(text), 0)).toBeLessThanOrEqual(24_000);
});

test("there are at most 16 decisions, of at most 400 words each", () => {
  const decisions = documents.filter(({ path }) => path.startsWith(join("docs", "decisions")));
  expect(decisions.length).toBeLessThanOrEqual(16);
  expect(decisions.filter(({ text }) => words(text) > 400).map(({ path, text }) => `${path}: ${words(text)}`)).toEqual([]);
});

const scriptsOf = (file: string) => Object.keys((JSON.parse(readFileSync(file, "utf8")) as { scripts: object }).scripts);
const scripts = new Set(["package.json", "packages/client/package.json"].flatMap(scriptsOf));

test("packages, the API's document and the changelog have one version", () => {
  const versionOf = (file: string) => (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
  const [, newest] = /^## (\S+)$/m.exec(readFileSync("CHANGELOG.md", "utf8")) ?? [];
  const lock = JSON.parse(readFileSync("package-lock.json", "utf8")) as { packages: Record<string, { version: string }> };
  const { info } = describeApi(routes, "http://127.0.0.1") as { info: { version: string } };
  const versions = [...["package.json", "packages/client/package.json", "package-lock.json"].map(versionOf), info.version];
  expect([...versions, lock.packages["packages/client"]?.version]).toEqual(Array.from({ length: 5 }, () => newest));
});

/** As GitHub makes them of a heading. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} -]/gu, "")
      .replaceAll(" ", "-"),
  );

/** Without blocks of code. */
const proseOf = (text: string) => text.replaceAll(/^```[\s\S]*?^```/gm, "");

describe.each(documents.map((document) => [document.path, document] as const))("%s", (path, { text }) => {
  test("links to files and headings that exist", () => {
    const links = [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to).filter((to) => !/^\w+:/.test(to));
    const leadsNowhere = links.filter((to) => {
      const [file, anchor] = to.split("#");
      const target = file ? join(dirname(path), file) : path;
      return !existsSync(target) || (anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(anchor));
    });
    expect(leadsNowhere).toEqual([]);
  });

  test("names scripts of package.json and files of the repository that exist", () => {
    const named = [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !scripts.has(name))).toEqual([]);
    const root = new RegExp(`^(?:${folders.join("|")})/`);
    const files = [...proseOf(text).matchAll(/`([^`\s]+)`/g)].map(([, file = ""]) => file).filter((file) => root.test(file));
    expect(files.filter((file) => !isThere(file))).toEqual([]);
  });
});

/** A test may be named without what comes after its subject: `test/faults/kills`. */
function isThere(file: string): boolean {
  if (file === "bench/results") return true; // where measurements are written
  if (/[*<>{]/.test(file)) return existsSync(file.split(/[*<>{]/)[0]?.replace(/[^/]*$/, "") ?? "");
  const folder = dirname(file);
  const start = `${file.slice(folder.length + 1)}.`;
  return existsSync(file) || (existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(start)));
}
