// The folder boundaries, made from boundaries.json: a file may import its own folder and what its folder's row allows. A file whose folder
// has no row may import nothing, so that a new folder is guarded from its first file.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// It has swc read every file as TypeScript without JSX, and stumbles over the first tag.
const swc = createRequire(import.meta.url)("@swc/core");
const parseFile = swc.parseFileSync;
swc.parseFileSync = (file, options) => parseFile(file, { ...options, tsx: file.endsWith(".tsx") });

const { folders, vendors } = JSON.parse(readFileSync(new URL("./boundaries.json", import.meta.url), "utf8"));
const escaped = (path) => path.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const within = (path) => (path.endsWith(".ts") ? `^${escaped(path)}$` : `^${escaped(path)}/`);
/** Folders inside a folder have rows of their own. */
const inner = (folder) => folders.filter(({ folder: other }) => other.startsWith(`${folder}/`)).map(({ folder: other }) => within(other));

const folderRules = folders
  .filter(({ mayImport }) => !mayImport.includes("*"))
  .map(({ folder, mayImport }) => ({
    name: `${folder} imports only what its row allows`,
    severity: "error",
    from: { path: within(folder), pathNot: inner(folder) },
    to: {
      path: "^src/",
      // Its own folder and the allowed ones; a folder inside another is not allowed with it.
      pathNot: [folder, ...mayImport].flatMap((allowed) => [allowedPath(allowed)]),
    },
  }));

function allowedPath(folder) {
  const shut = inner(folder).map((path) => path.slice(1));
  return shut.length === 0 ? within(folder) : `^(?!${shut.join("|")})${within(folder).slice(1)}`;
}

const vendorRules = Object.entries(vendors).map(([name, places]) => ({
  name: `${name} is used in ${places.join(" and ")} alone`,
  severity: "error",
  from: { path: "^src/", pathNot: places.map(within) },
  to: { path: `(^|node_modules/)${escaped(name)}${name.endsWith("/") ? "" : "(/|$)"}` },
}));

const everyFolder = "every folder has a row in boundaries.json";
const outside = { path: "^src/", pathNot: folders.map(({ folder }) => within(folder)) };

export default {
  forbidden: [
    ...folderRules,
    ...vendorRules,
    // Three forms of one rule, since a rule is about imports: a file without a row imports something, is imported, or neither.
    { name: everyFolder, severity: "error", from: outside, to: {} },
    { name: everyFolder, severity: "error", from: {}, to: outside },
    { name: everyFolder, severity: "error", from: { ...outside, orphan: true }, to: {} },
    { name: "no circles", severity: "error", from: { path: "^src/" }, to: { circular: true } },
    { name: "imports can be resolved", severity: "error", from: { path: "^src/" }, to: { couldNotResolve: true } },
  ],
  options: {
    parser: "swc",
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      extensions: [".ts", ".tsx", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
