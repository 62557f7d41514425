// The OpenAPI document as tools and code generators read it.
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { describeApi } from "../../../../src/http/api/document/describeApi.js";
import { routes } from "../../../../src/http/api/routes/list.js";

type Json = Record<string, unknown>;

const document = JSON.parse(JSON.stringify(describeApi(routes, "https://waybill.example.net"))) as Json;

/** Every object of the document with the steps that lead to it. */
function* nodes(value: unknown, steps: readonly string[] = []): Generator<{ node: Json; steps: readonly string[] }> {
  if (typeof value !== "object" || value === null || steps.at(-1) === "example" || steps.at(-1) === "examples") return;
  if (!Array.isArray(value)) yield { node: value as Json, steps };
  for (const [step, each] of Object.entries(value)) yield* nodes(each, [...steps, step]);
}

const all = [...nodes(document)];
const isAnswer = (steps: readonly string[]) => steps.includes("responses") || (steps[0] === "webhooks" && steps.includes("requestBody"));

test("every property and parameter has a description", () => {
  const named = all.flatMap(({ node, steps }) => {
    if (steps.at(-1) === "properties") return Object.entries(node).map(([name, property]) => ({ name: [...steps, name], property }));
    return Array.isArray(node["parameters"])
      ? node["parameters"].map((property: Json) => ({ name: [...steps, String(property["name"])], property }))
      : [];
  });
  expect(named.length).toBeGreaterThan(150);
  const silent = named.filter(({ property }) => typeof (property as Json)["description"] !== "string");
  expect(silent.map(({ name }) => name.join("/"))).toEqual([]);
});

test.each(routes.map((route) => [route.operationId, route] as const))("%s says which scope it needs", (_, { path, method, scope }) => {
  const operation = (document["paths"] as Record<string, Record<string, Json>>)[path]?.[method.toLowerCase()];
  const scopes = [scope].flat();
  expect(operation?.["security"]).toEqual(scopes.map((each) => ({ apiKey: [each] })));
  expect(operation?.["description"]).toMatch(new RegExp(`\\. The key needs the scope ${scopes.join(" or ")}\\.$`));
  const refused = (operation?.["responses"] as Record<string, Json> | undefined)?.["403"];
  expect(refused?.["description"]).toContain(`The key does not have the scope ${scopes.join(" or ")}`);
  expect(refused?.["content"]).toHaveProperty(["application/json", "example", "message"]);
});

test("no schema is a choice between types, which generated clients misread", () => {
  expect(all.filter(({ node }) => "anyOf" in node).map(({ steps }) => steps.join("/"))).toEqual([]);
  const choices = all.filter(({ node }) => Array.isArray(node["type"]) && (node["type"].length !== 2 || node["type"][1] !== "null"));
  expect(choices.map(({ steps }) => steps.join("/"))).toEqual([]);
});

test("an object schema that is used more than once has a name, and none is called Error", () => {
  const seen = new Map<string, string>();
  const twice: string[] = [];
  for (const { node, steps } of all.filter((each) => each.node["type"] === "object" && "properties" in each.node)) {
    const shape = JSON.stringify({ ...node, description: undefined });
    if (seen.has(shape)) twice.push(`${steps.join("/")} as ${seen.get(shape)}`);
    seen.set(shape, steps.join("/"));
  }
  // The forms of the two uploads have the same shape, and no client needs a name for it.
  expect(twice.filter((each) => !each.includes("multipart"))).toEqual([]);
  expect(Object.keys((document["components"] as { schemas: Json }).schemas)).not.toContain("Error");
});

test("answers may have further fields, requests may not", () => {
  const schemas = (document["components"] as { schemas: Record<string, Json> }).schemas;
  const requested = new Set<string>();
  const follow = (value: unknown): void => {
    for (const [, name = ""] of JSON.stringify(value).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (!requested.has(name) && requested.add(name)) follow(schemas[name]);
    }
  };
  for (const { node, steps } of all) if (steps.at(-1) === "requestBody" && steps[0] === "paths") follow(node);
  expect(requested.size).toBeGreaterThan(8);
  for (const [name, schema] of Object.entries(schemas))
    expect([name, schema["additionalProperties"]]).toEqual([name, requested.has(name) ? false : undefined]);
  for (const { node, steps } of all.filter(({ steps }) => isAnswer(steps)))
    expect([steps, node["additionalProperties"]]).not.toContain(false);
});

describe("examples", () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false }));
  ajv.addSchema({ ...document, $id: "document" });
  const media = all.filter(({ steps }) => steps.at(-2) === "content");

  test("every request body and every answer has an example", () => {
    const without = media.filter(({ node, steps }) => steps[0] === "paths" && !("example" in node));
    expect(without.map(({ steps }) => steps.join("/"))).toEqual([]);
  });

  test("each example is valid by its schema", () => {
    for (const { node, steps } of media.filter((each) => "example" in each.node)) {
      const pointer = steps.map((step) => encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
      const valid = ajv.validate({ $ref: `document#/${pointer}/schema` }, node["example"]);
      expect([steps.join("/"), valid, ajv.errorsText()]).toEqual([steps.join("/"), true, "No errors"]);
    }
  });
});

test("the document's introduction has the sections that an integrator needs first", () => {
  const { description } = document["info"] as { description: string };
  const titles = [...description.matchAll(/^# (.*)$/gm)].map(([, title]) => title);
  expect(titles).toEqual(
    expect.arrayContaining([
      "Getting started",
      "Versioning",
      "The states of an import",
      "Rejected rows",
      "Paging",
      "Rate limit",
      "Webhooks",
    ]),
  );
  const tags = document["tags"] as { name: string; description: string }[];
  for (const { name, description: said } of tags) expect(said).not.toBe(name);
});
