// Finds the regular expressions whose time grows faster than their text: one request with a long text would stop the process.
// Prints file and line of each, and exits 1. `node scripts/expressions.mjs [FOLDER] [--keep]`
// expressions.json has what may stay, with the reason, and the expressions found safe that take long to judge or are judged by trial, whose
// outcome depends on chance and on how busy the machine is: --keep writes those.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "@swc/core";

process.env.RECHECK_SYNC_BACKEND = "pure"; // neither Java nor a native program
const { checkSync } = await import("recheck");

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const list = join(root, "scripts", "expressions.json");
const { allowed, safe } = JSON.parse(readFileSync(list, "utf8"));
const [given] = process.argv.slice(2).filter((argument) => argument !== "--keep");

const files = (given ? [given] : [join(root, "src"), join(root, "packages", "client", "src")]).flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => join(folder, file)),
);

/** All nodes of a tree, parents first. */
function* nodesOf(node) {
  if (typeof node !== "object" || node === null) return;
  if (typeof node.type === "string") yield node;
  for (const child of Object.values(node)) yield* nodesOf(child);
}

/** The parser counts bytes over all files that it has read. The semicolon in front shows where this file begins. */
function parse(file) {
  const text = `;${readFileSync(file, "utf8").replace(/^#!/, "//")}`;
  const tree = parseSync(text, { syntax: "typescript", tsx: file.endsWith("x"), target: "es2022" });
  const lineOf = ({ span }) =>
    Buffer.from(text)
      .subarray(0, span.start - tree.span.start)
      .toString()
      .split("\n").length;
  return { file: relative(root, file).replaceAll("\\", "/"), nodes: [...nodesOf(tree)], lineOf };
}

const sources = files.map(parse);

/** The parser writes two backslashes for the one before a `u`. */
const plain = (text) => text.replaceAll("\\\\u", "\\u");

/** The constants that are plain texts, by name: expressions are made of them. */
const texts = new Map();
for (const { type, id, init } of sources.flatMap(({ nodes }) => nodes)) {
  if (type !== "VariableDeclarator" || init?.type !== "StringLiteral") continue;
  const text = plain(init.value);
  texts.set(id.value, texts.has(id.value) && texts.get(id.value) !== text ? undefined : text);
}

/** Undefined for a text that is known only when the code runs. */
function textOf(node) {
  if (node?.type === "StringLiteral") return plain(node.value);
  if (node?.type === "Identifier") return texts.get(node.value);
  if (node?.type !== "TemplateLiteral") return undefined;
  const parts = node.quasis.flatMap(({ cooked }, at) => [plain(cooked), ...node.expressions.slice(at, at + 1).map(textOf)]);
  return parts.includes(undefined) ? undefined : parts.join("");
}

/** Source and flags of a literal or a `RegExp(...)`; undefined for other nodes. */
function expressionOf(node) {
  if (node.type === "RegExpLiteral") return { source: node.pattern, flags: node.flags };
  if (!["NewExpression", "CallExpression"].includes(node.type) || node.callee.value !== "RegExp") return undefined;
  const [source, flags] = (node.arguments ?? []).map(({ expression }) => expression);
  return { source: textOf(source), flags: flags ? (textOf(flags) ?? "") : "" };
}

const faultOf = new Map(safe.map((key) => [key, undefined]));
const seen = new Set();
const found = new Set();

/** Why the expression may not stay, or undefined. */
function judge({ source, flags }) {
  if (source === undefined) return "a regular expression that is known only when the code runs";
  const key = `/${source}/${flags}`;
  seen.add(key);
  if (faultOf.has(key)) return faultOf.get(key);
  const started = performance.now();
  const { status, checker, complexity, error } = checkSync(source, flags, { timeout: 60_000, randomSeed: 1 });
  if (status === "vulnerable") faultOf.set(key, `${key} takes ${complexity.summary} time`);
  else faultOf.set(key, status === "safe" ? undefined : `${key} cannot be judged: ${error.kind}`);
  if (status === "safe" && (checker === "fuzz" || performance.now() - started > 100)) found.add(key);
  return faultOf.get(key);
}

const isAllowed = (file, source = "") => allowed.some((each) => each.file === file && each.source === source);

for (const { file, nodes, lineOf } of sources) {
  for (const node of nodes) {
    const expression = expressionOf(node);
    const fault = expression && !isAllowed(file, expression.source) && judge(expression);
    if (!fault) continue;
    console.log(`${file}:${lineOf(node)} ${fault}`);
    process.exitCode = 1;
  }
}
if (process.argv.includes("--keep")) {
  const kept = [...safe.filter((key) => seen.has(key)), ...found].sort();
  writeFileSync(list, `${JSON.stringify({ allowed, safe: kept }, null, 2)}\n`);
}
