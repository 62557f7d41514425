import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

interface Entry {
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly os?: readonly string[];
  readonly engines?: { readonly node?: string };
}

const lock = JSON.parse(await readFile(new URL("../../package-lock.json", import.meta.url), "utf8")) as { packages: Record<string, Entry> };
const installed = Object.entries(lock.packages).filter(([path, { link }]) => path.startsWith("node_modules/") && !link);

test("every package has its hash, except for binaries of other platforms that docs/decisions/tools.md names", async () => {
  const tools = await readFile(new URL("../../docs/decisions/tools.md", import.meta.url), "utf8");
  const without = installed.filter(([, { integrity }]) => !integrity);
  expect(without.filter(([, { optional, os }]) => !optional || !os)).toEqual([]);
  const families = new Set(without.map(([path]) => path.slice("node_modules/".length).replace(/\/.*/, "")));
  expect([...families].filter((family) => !tools.includes(`\`${family}\``))).toEqual([]);
});

test("no package is tied to one registry's address", () => {
  expect(installed.filter(([, { resolved }]) => resolved)).toEqual([]);
});

test("every package that is installed everywhere runs on the oldest Node that the service runs on", () => {
  const refusing = installed.filter(
    ([, { optional, engines }]) => !optional && engines?.node !== undefined && !admits(engines.node, [20, 19]),
  );
  expect(refusing.map(([path, { engines }]) => `${path} wants ${engines?.node}`)).toEqual([]);
});

/** For the forms of ranges that occur in the lock: alternatives of lower bounds, carets and bare majors. */
function admits(range: string, node: readonly [number, number]): boolean {
  return range.split("||").some((one) => {
    const parts = one
      .trim()
      .replaceAll(/([<>=^~])\s+/g, "$1")
      .split(/\s+/);
    return parts.every((part) => {
      const [, operator = "", major = "0", minor = "0"] = /^(>=|>|<=|<|\^|~|=)?\s*v?(\d+|\*)(?:\.(\d+|x|\*))?/.exec(part.trim()) ?? [];
      if (major === "*") return true;
      const [wanted, wantedMinor] = [Number(major), Number(minor) || 0];
      const isAtLeast = node[0] > wanted || (node[0] === wanted && node[1] >= wantedMinor);
      if (operator === ">=" || operator === ">") return isAtLeast;
      if (operator === "<" || operator === "<=") return node[0] < wanted || (node[0] === wanted && node[1] < wantedMinor);
      return node[0] === wanted && isAtLeast;
    });
  });
}
