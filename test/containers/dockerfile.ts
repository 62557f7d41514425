// Reads the Dockerfile and .dockerignore as an engine does, as far as this project's files use their rules.
import { cpSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

interface Copy {
  /** Copied from the stage before, not from the sources. */
  readonly isBuilt: boolean;
  readonly sources: readonly string[];
  readonly to: string;
}

export interface Stage {
  readonly base: string;
  readonly copies: Copy[];
}

export const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");

export function readStages(): readonly [build: Stage, image: Stage] {
  const stages: Stage[] = [];
  for (const line of dockerfile.split("\n")) {
    const [instruction, ...words] = line.trim().split(/\s+/);
    if (instruction === "FROM") stages.push({ base: words[0] ?? "", copies: [] });
    if (instruction !== "COPY") continue;
    const paths = words.filter((word) => !word.startsWith("--"));
    const sources = paths.slice(0, -1).map((path) => relative("/app", resolve("/app", path)));
    stages.at(-1)?.copies.push({ isBuilt: words.some((word) => word.startsWith("--from=")), sources, to: paths.at(-1) ?? "" });
  }
  return stages as unknown as readonly [Stage, Stage];
}

const rules = readFileSync(join(root, ".dockerignore"), "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "" && !line.startsWith("#"))
  .map((line) => ({
    isSent: line.startsWith("!"),
    pattern: new RegExp(`^${line.replace("!", "").replaceAll(".", "\\.").replaceAll("*", "[^/]*")}(/|$)`),
  }));

/** Whether .dockerignore lets a file through to the engine: the last rule that matches it decides. */
export const isSent = (file: string): boolean => rules.reduce((sent, rule) => (rule.pattern.test(file) ? rule.isSent : sent), true);

/** The files that a source names: itself, or all below a folder. */
export function filesOf(source: string): string[] {
  if (!statSync(join(root, source)).isDirectory()) return [source];
  const entries = readdirSync(join(root, source), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** Copies into a folder what a stage copies. The packages are those that are installed here. */
export function copyStage({ copies }: Stage, built: string, target: string): void {
  for (const { isBuilt, sources, to } of copies) {
    for (const source of sources) {
      const from = join(isBuilt ? built : root, source);
      if (source === "node_modules") symlinkSync(join(root, source), join(target, to));
      else cpSync(from, join(target, to, to.endsWith("/") ? basename(source) : ""), { recursive: true });
    }
  }
}
