// Holds the statements to the tables of boundaries.json: which folder or file writes a table, and which only reads it. Table names are found
// after the words of SQL before which they stand, and by the imports of their definitions. A right that no statement uses fails as well.
import { readdirSync, readFileSync } from "node:fs";

const definitions = "src/projections/tables/";
const { tables: groups } = JSON.parse(readFileSync("boundaries.json", "utf8"));
const sources = readdirSync("src", { recursive: true })
  .map((path) => `src/${path.replaceAll("\\", "/")}`)
  .filter((path) => /\.tsx?$/.test(path))
  .toSorted()
  .map((path) => ({ path, text: withoutComments(readFileSync(path, "utf8")) }));

/** By the name of the constant that defines it. */
const defined = new Map(
  sources
    .filter(({ path }) => path.startsWith(definitions))
    .flatMap(({ text }) => [...text.matchAll(/export const (\w+) = pgTable\(\s*"(\w+)"/g)].map(([, constant, table]) => [constant, table])),
);
const tables = new Set(defined.values());
const groupOf = new Map(groups.flatMap((group) => group.tables.map((table) => [table, group])));
const used = new Set();
const faults = [];

/** Keeps the lines, so that what is found has its number. */
function withoutComments(text) {
  return text.replaceAll(/^\s*\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm, (comment) => comment.replaceAll(/[^\n]/g, " "));
}

const writing = ["insert\\s+into", "merge\\s+into", "update", "delete\\s+from", "truncate", "copy", "table"];
const statement = new RegExp(`\\b(?:(${writing.join("|")})|from|join|using|only)\\s+(?:public\\.)?"?(${[...tables].join("|")})\\b`, "gi");
const definitionImport = /import\s*\{([^}]*)\}\s*from\s*"[^"]*\/tables\/\w+\.js"/g;

function* namedIn(text) {
  for (const { 1: write, 2: table, index } of text.matchAll(statement)) yield { table, index, writes: write !== undefined };
  for (const { 1: names, index } of text.matchAll(definitionImport))
    for (const constant of names.split(",").map((name) => name.trim()))
      if (defined.has(constant))
        yield { table: defined.get(constant), index, writes: new RegExp(`\\.(insert|update|delete)\\(${constant}\\)`).test(text) };
}

const covers = (folder, path) => path === folder || path.startsWith(`${folder}/`);

for (const { path, text } of sources) {
  for (const { table, index, writes } of namedIn(text)) {
    const group = groupOf.get(table);
    const writer = group?.writers.find((folder) => covers(folder, path));
    const folder = writer ?? (writes ? undefined : group?.readers.find((each) => covers(each, path)));
    if (folder !== undefined) used.add(`${groups.indexOf(group)} ${folder}`);
    else
      faults.push(
        `${path}:${text.slice(0, index).split("\n").length} ${writes ? "writes" : "reads"} ${table}, which boundaries.json does not allow`,
      );
  }
}
for (const table of tables) if (!groupOf.has(table)) faults.push(`boundaries.json does not say who may name the table ${table}`);
for (const table of groupOf.keys())
  if (!tables.has(table)) faults.push(`boundaries.json names ${table}, which ${definitions} does not define`);
for (const [index, { tables: ofGroup, writers, readers }] of groups.entries())
  for (const folder of [...writers, ...readers])
    if (!used.has(`${index} ${folder}`))
      faults.push(`boundaries.json lists ${folder} for ${ofGroup.join(", ")}, and no statement there names them`);

for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`every table is named where boundaries.json allows it (${tables.size} tables, ${sources.length} files)`);
