// The client's types are made from the API's document: `npm run client` writes them.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { describeApi } from "../../src/http/api/document/describeApi.js";
import { routes } from "../../src/http/api/routes/list.js";

const file = "packages/client/src/generated.ts";
const generator = "packages/client/node_modules/openapi-typescript/bin/cli.js";

test("the types of the client are those generated from the API's document", async () => {
  const folder = await mkdtemp(join(tmpdir(), "waybill-client-types-"));
  try {
    const document = join(folder, "openapi.json");
    await writeFile(document, JSON.stringify(asTyped(describeApi(routes, "https://waybill.example.net"))));
    const made = join(folder, "generated.ts");
    await promisify(execFile)(process.execPath, [generator, document, "-o", made, "--default-non-nullable", "false"]);
    const types = await readFile(made, "utf8");
    if (process.env["UPDATE_CLIENT"] === "1") await writeFile(file, types);
    const kept = await readFile(file, "utf8");
    expect(kept === types, "packages/client is behind the document: npm run client").toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Examples would be comments in the generated types, which would change with each of them. Errors and headers have no types in the client. */
function asTyped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTyped);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !/^(examples?|headers|[45]\d\d)$/.test(name));
  return Object.fromEntries(kept.map(([name, part]) => [name, asTyped(part)]));
}
