import { parseAst } from "vite";
import { expect, test } from "vitest";
import { withoutStores } from "./withoutStores.js";

/** What the project says about a file with this code; undefined where it may be imported. */
function refusal(code: string, id = `${process.cwd()}/src/some/file.ts`): string | undefined {
  const { transform } = withoutStores as unknown as { transform(this: object, code: string, id: string): void };
  const error = (sentence: string) => {
    throw new Error(sentence);
  };
  try {
    transform.call({ parse: parseAst, error }, code, id);
    return undefined;
  } catch (fault) {
    return (fault as Error).message;
  }
}

test.each([
  'import pg from "pg";',
  'export { Pool } from "pg";',
  'import { spawn } from "node:child_process";',
  'import { open } from "lmdb";',
  'import { createTestDatabase } from "../support/stores/postgres.js";',
])("a unit test cannot load a file with %s", (code) => {
  expect(refusal(code)).toMatch(/^src\/some\/file\.ts imports \S+, and a test of the project unit has no store .* NAME\.test\.ts/);
});

test("other imports, and those of packages, are not looked at", () => {
  expect(refusal('import { z } from "zod"; export const pg = "pg";')).toBeUndefined();
  expect(refusal('import pg from "pg";', "/node_modules/some/index.js")).toBeUndefined();
});
