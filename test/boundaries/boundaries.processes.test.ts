import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Boundaries {
  readonly folders: readonly { readonly folder: string; readonly holds: string }[];
}

/** Imports that the table forbids and, below, some that it allows: they show that dependency-cruiser enforces the table. */
const refused: readonly (readonly [string, string])[] = [
  ["src/domain/rating/x.ts", "../../events/codec.js"],
  ["src/domain/rating/x.ts", "../../ports/eventStore.js"],
  ["src/events/x.ts", "../commands/handle.js"],
  ["src/commands/imports/x.ts", "../../projections/allProjections.js"],
  ["src/commands/imports/x.ts", "@eventstore/db-client"],
  ["src/commands/imports/x.ts", "../../queries/organisations/organisations.js"],
  ["src/queries/lookUps/x.ts", "../../commands/handle.js"],
  ["src/projections/x.ts", "../queries/organisations/organisations.js"],
  ["src/projections/tables/x.ts", "../running/applyBatch.js"],
  ["src/queries/x.ts", "../projections/running/applyBatch.js"],
  ["src/http/server/x.ts", "../api/deps.js"],
  ["src/http/api/routes/x.ts", "../../../projections/tables/imports.js"],
  ["src/http/api/routes/x.ts", "../../portal/page.js"],
  ["src/http/portal/x.ts", "../api/deps.js"],
  ["src/http/portal/pages/x.tsx", "../../api/deps.js"],
  ["src/http/portal/browser/x.ts", "../page.js"],
  ["src/workers/imports/x.ts", "../../adapters/metrics.js"],
  ["src/workers/webhooks/x.ts", "../imports/deps.js"],
  ["src/adapters/postgres/x.ts", "../../domain/rejection.js"],
  ["src/embedded/x.ts", "../commands/handle.js"],
  ["src/billing/x.ts", "../domain/rejection.js"], // a folder without a row
];
const allowed: readonly (readonly [string, string])[] = [
  ["src/events/x.ts", "../domain/rejection.js"],
  ["src/commands/imports/x.ts", "../../events/codec.js"],
  ["src/commands/imports/x.ts", "../../queries/lookUps/rejectedRows.js"],
  ["src/queries/x.ts", "../projections/tables/imports.js"],
  ["src/http/api/routes/x.ts", "../../../commands/handle.js"],
  ["src/http/portal/x.ts", "../server/problem.js"],
  ["src/embedded/x.ts", "../adapters/metrics.js"],
];

/** Files whose folder has no row in the table and that import nothing: one is imported by `src/main`, the other by no file. */
const withoutRow: readonly (readonly [string, string])[] = [
  ["src/billing/imported.ts", "export const imported = 1;\n"],
  ["src/main/importer.ts", 'export { imported } from "../billing/imported.js";\n'],
  ["src/stray/alone.ts", "export const alone = 1;\n"],
];

/** Statements on tables that their folder may not read or write, and what the check says of them. Comments and other words are no statements. */
const statements: readonly (readonly [path: string, text: string, faults: readonly string[]])[] = [
  ["src/domain/sqlTrespasser.ts", "/** Rows from imports. */\nconst one = `\n  select status\n    from imports`;\n", ["4 reads imports"]],
  ["src/http/server/sqlTrespasser.ts", 'const one = "delete from sessions";\n', ["1 writes sessions"]],
  [
    "src/queries/sqlTrespasser.ts",
    'const one = "select from imports"; // update imports\nconst two = "update imports set";\n',
    ["2 writes imports"],
  ],
  ["src/audit/sqlTrespasser.ts", 'const one = `join "rejections" r`;\nconst two = "insert into rejections";\n', ["2 writes rejections"]],
  [
    "src/events/sqlTrespasser.tsx",
    "const one = `with a as (select 1), b as (select * from a join members m on true)`;\n",
    ["1 reads members"],
  ],
  ["src/queries/importTrespasser.ts", 'import { sessions } from "../projections/tables/operational.js";\n', ["1 reads sessions"]],
  [
    "src/queries/quotes/importTrespasser.ts",
    'import { quotes } from "../../projections/tables/quotes.js";\ndb.insert(quotes);\n',
    ["1 writes quotes"],
  ],
  ["src/projections/tables/trespasser.ts", 'export const things = pgTable("new_things", {});\n', []],
];

let violations: Set<string>;
let tableFaults: string[];
const folders: string[] = [];

/** Writes each case as a file into a copy of the source tree, and runs dependency-cruiser on the copy once. */
beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-boundaries-"));
  folders.push(folder);
  for (const name of ["src", "boundaries.json", ".dependency-cruiser.mjs", "package.json"])
    await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [index, [path, from]] of [...refused, ...allowed].entries()) {
    const file = join(folder, path.replace("x.ts", `trespasser${index}.ts`));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `export type { default as Anything } from "${from}";\n`);
  }
  for (const [path, text] of withoutRow) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [program, "--config", ".dependency-cruiser.mjs", "--output-type", "json", "src"];
  const output = await promisify(execFile)(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 28 }).catch(
    (error: { stdout: string }) => error,
  );
  const report = JSON.parse(output.stdout) as { summary: { totalCruised: number; violations: { from: string; rule: { name: string } }[] } };
  tableFaults = await faultsOfTables(folder);
  expect(report.summary.totalCruised).toBeGreaterThan(300); // the real code was read: the tests do not pass for want of files
  violations = new Set(report.summary.violations.map(({ from }) => from));
});

async function faultsOfTables(folder: string): Promise<string[]> {
  for (const [path, text] of statements) await writeFile(join(folder, path), text);
  const output = await promisify(execFile)(process.execPath, [join(root, "scripts/tables.mjs")], { cwd: folder }).catch(
    (error: { stderr: string }) => error,
  );
  return output.stderr.trim().split("\n").toSorted();
}

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

test.each(refused.map(([path, from], index) => [path.replace("x.ts", `trespasser${index}.ts`), from]))("%s may not import %s", (path) => {
  expect(violations).toContain(path);
});

test.each(allowed.map(([path, from], index) => [path.replace("x.ts", `trespasser${refused.length + index}.ts`), from]))(
  "%s may import %s",
  (path) => {
    expect(violations).not.toContain(path);
  },
);

test("a file whose folder has no row is refused, also where it imports nothing", () => {
  expect(violations).toContain("src/main/importer.ts");
  expect(violations).toContain("src/stray/alone.ts");
});

test("a statement on a table that its folder may not name is refused with its line", () => {
  const expected = statements.flatMap(([path, , faults]) =>
    faults.map((fault) => `${path}:${fault}, which boundaries.json does not allow`),
  );
  expect(tableFaults).toEqual([...expected, "boundaries.json does not say who may name the table new_things"].toSorted());
});

test("docs/architecture.md has every folder with what it holds", async () => {
  const { folders } = JSON.parse(await readFile(join(root, "boundaries.json"), "utf8")) as Boundaries;
  const architecture = await readFile(join(root, "docs/architecture.md"), "utf8");
  const listed = Array.from(architecture.matchAll(/^\| `(src\/[^`.]+)` \| (.+) \|$/gm), ([, folder, holds]) => ({ folder, holds }));
  expect(listed).toEqual(folders.filter(({ folder }) => !folder.endsWith(".ts")).map(({ folder, holds }) => ({ folder, holds })));
});
