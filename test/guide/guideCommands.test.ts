// Routes, npm scripts and client functions that docs/guide.md names exist; its commands are in commandsOfDocuments.test.ts. This test does not run them; the project `long` does.
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import * as client from "../../packages/client/src/index.js";
import { describeApi } from "../../src/http/api/document/describeApi.js";
import { guidePage } from "../../src/http/api/reference/documentPage.js";
import { routes } from "../../src/http/api/routes/list.js";
import { blocksOf } from "./guideFile.js";

const guide = await readFile("docs/guide.md", "utf8");
const commands = blocksOf(guide).map((block) => block.commands.replaceAll("\\\n", " "));
const found = (pattern: RegExp) =>
  commands.flatMap((text) => [...text.matchAll(pattern)].map((match) => match.slice(1).map((part: string | undefined) => part ?? "")));

const requests = found(/curl -s "\$WAYBILL_URL(\/[^"?]*)(?:\?([^"]*))?"([^\n]*)/g);

describe("requests", () => {
  test.each(requests)("%s", (path = "", query = "", rest = "") => {
    const method = / -[dF] /.test(rest) ? "POST" : "GET";
    const shape = (text: string) => text.replaceAll(/\{\w+\}|\$\w+/g, "{}");
    const route = routes.find((each) => each.method === method && shape(each.path) === shape(path));
    expect(route, `${method} ${path}`).toBeDefined();
    const known = Object.keys(route?.request.query?.shape ?? {});
    for (const name of new URLSearchParams(query).keys()) expect(known).toContain(name);
  });
});

test("npm scripts, the client's functions and the types of webhooks exist", async () => {
  const scriptsOf = async (file: string) => Object.keys((JSON.parse(await readFile(file, "utf8")) as { scripts: object }).scripts);
  for (const [name] of found(/npm run -s (\w+) -w @waybill\/client/g))
    expect(await scriptsOf("packages/client/package.json")).toContain(name);
  for (const [names = ""] of found(/import \{ ([^}]+) \} from "@waybill\/client"/g)) expect(Object.keys(client)).toContain(names);
  const waybill = new client.Waybill({ baseUrl: "http://127.0.0.1", apiKey: "x" });
  const called = found(/(?:await|of) waybill\.([\w.]+)\(/g).map(([path]) => path);
  const valueAt = (path = "") => path.split(".").reduce((value: unknown, name) => (value as Record<string, unknown>)?.[name], waybill);
  expect(called.map((path) => [path, typeof valueAt(path)])).toEqual(called.map((path) => [path, "function"]));
  const types = Object.keys((describeApi(routes, "http://127.0.0.1") as { webhooks: object }).webhooks);
  for (const [names = ""] of found(/--events ([\w.,]+)/g)) for (const type of names.split(",")) expect(types).toContain(type);
  expect([requests.length, called.length].every((count) => count > 2)).toBe(true);
});

test("the guide can be shown as a page, and its links lead somewhere", () => {
  const html = guidePage(guide);
  for (const [, id] of html.matchAll(/href="#([^"]+)"/g)) expect(html).toContain(`id="${id}"`);
  expect([...html.matchAll(/href="([^"#][^"]*)"/g)].map(([, address]) => address)).toEqual([
    "data:,",
    "reference.css",
    "../docs",
    "../portal",
  ]);
});
