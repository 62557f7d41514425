import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

/** A folder in `parent` that is removed with all that is in it when its `await using` goes out of scope. */
export async function temporaryFolder(parent: string, prefix: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(parent, prefix));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
