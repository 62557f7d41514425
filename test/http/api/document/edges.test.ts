// Every bound that the document states for a JSON body is tested on the running API, with values just inside, at and just outside it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeApi } from "../../../../src/http/api/document/describeApi.js";
import { exampleRequests } from "../../../../src/http/api/document/examples/examples.js";
import { routes } from "../../../../src/http/api/routes/list.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";

type Json = Record<string, unknown>;
type Steps = readonly (string | number)[];

interface Edge {
  readonly operationId: string;
  readonly path: string;
  readonly steps: Steps;
  readonly bound: string;
  readonly inside: readonly unknown[];
  readonly outside: unknown;
}

const document = describeApi(routes, "https://waybill.example.net") as { components: { schemas: Record<string, Json> }; paths: Json };

const resolved = (schema: Json): Json => {
  const name = typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined;
  return name === undefined ? schema : { ...(document.components.schemas[name] ?? {}) };
};

/** Values inside and outside each bound of a schema; `sample` is a valid value of it. */
function* boundsOf(schema: Json, sample: unknown): Generator<Pick<Edge, "bound" | "inside" | "outside">> {
  const number = (name: string) => (typeof schema[name] === "number" ? (schema[name] as number) : undefined);
  const step = schema["type"] === "integer" ? 1 : 0.001;
  const [longest, shortest, most, least] = ["maxLength", "minLength", "maximum", "minimum"].map(number);
  const above = number("exclusiveMinimum");
  if (longest !== undefined && !looksLikeTime(sample))
    yield { bound: `maxLength ${longest}`, inside: [text(longest - 1), text(longest)], outside: text(longest + 1) };
  if (shortest !== undefined)
    yield { bound: `minLength ${shortest}`, inside: [text(shortest), text(shortest + 1)], outside: text(shortest - 1) };
  if (most !== undefined) yield { bound: `maximum ${most}`, inside: [most - step, most], outside: most + step };
  if (least !== undefined) yield { bound: `minimum ${least}`, inside: [least, least + step], outside: least - step };
  if (above !== undefined) yield { bound: `above ${above}`, inside: [above + step], outside: above };
  if (schema["not"] !== undefined) yield { bound: "not 0", inside: [-1, 1], outside: 0 };
  if (schema["pattern"] === "\\S") yield { bound: "not blank", inside: ["x"], outside: "  " };
  const [mostItems, leastItems] = [number("maxItems"), number("minItems")];
  const element = Array.isArray(sample) ? sample[0] : undefined;
  const items = (length: number) => Array.from({ length }, (_, index) => oneOf(element, index));
  if (mostItems !== undefined)
    yield { bound: `maxItems ${mostItems}`, inside: [items(mostItems - 1), items(mostItems)], outside: items(mostItems + 1) };
  if (leastItems !== undefined) yield { bound: `minItems ${leastItems}`, inside: [items(leastItems)], outside: items(leastItems - 1) };
  if (schema["additionalProperties"] === false)
    yield { bound: "no other field", inside: [], outside: { ...(sample as Json), surprise: 1 } };
}

const text = (length: number) => "x".repeat(length);
const looksLikeTime = (sample: unknown) => typeof sample === "string" && /^\d{4}-\d\d-\d\d/.test(sample);

/** The element with its id or row changed, where elements must differ from each other. */
function oneOf(element: unknown, index: number): unknown {
  if (typeof element === "object" && element !== null && "row" in element) return { ...element, row: index + 1 };
  if (typeof element === "object" && element !== null && "shipmentId" in element)
    return { ...element, shipmentId: `S-${index}`, items: [{ itemType: "CARTON" }] };
  return element ?? `x${index}`;
}

function* edgesOf(schema: Json, sample: unknown, steps: Steps): Generator<Omit<Edge, "operationId" | "path">> {
  const own = resolved(schema);
  for (const bound of boundsOf(own, sample)) yield { steps, ...bound };
  for (const [name, property] of Object.entries((own["properties"] ?? {}) as Record<string, Json>)) {
    yield* edgesOf(property, (sample as Json | undefined)?.[name], [...steps, name]);
  }
  if (own["items"]) yield* edgesOf(own["items"] as Json, (sample as unknown[] | undefined)?.[0], [...steps, 0]);
}

const edges: Edge[] = routes.flatMap(({ operationId, path, method, request }) => {
  const body = exampleRequests[operationId]?.body;
  if (request.body === undefined || path.includes("{")) return [];
  const operation = (document.paths[path] as Record<string, Json>)[method.toLowerCase()] as {
    requestBody: { content: Record<string, { schema: Json }> };
  };
  const schema = operation.requestBody.content["application/json"]?.schema ?? {};
  return [...edgesOf(schema, body, [])].map((edge) => ({ operationId, path, ...edge }));
});

let service: TestService;
let organisation: TestOrganisation;

beforeAll(async () => {
  service = await startTestService({ maxQueuedImports: 100_000 });
  organisation = await service.organisation((file) => {
    file.customFields.push({ key: "purchaseOrder", label: "Purchase order" });
  });
});
afterAll(() => service?.close());

function withValue(sample: unknown, [step, ...rest]: Steps, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === "number") return [withValue((sample as unknown[] | undefined)?.[step], rest, value)];
  return { ...((sample as Json | undefined) ?? {}), [step]: withValue((sample as Json | undefined)?.[step], rest, value) };
}

/** The faults that the answer names for the shape of this place. Other faults, such as an unknown postcode or customer, are left out. */
async function faults({ operationId, path, steps }: Edge, value: unknown): Promise<string[]> {
  const response = await organisation.post(path, withValue(exampleRequests[operationId]?.body, steps, value));
  if (response.status < 300) return [];
  const { message } = (await response.json()) as { message: string | string[] };
  expect([400, 403]).toContain(response.status);
  const place = steps.join(".");
  const own = [message].flat().filter((each) => !each.includes("could not be resolved"));
  return own.filter((each) => each.startsWith(`${place} `) || each.startsWith(`${place}.`) || (place === "" && response.status === 400));
}

describe.each([...new Set(edges.map(({ operationId }) => operationId))])("%s", (operationId) => {
  test.each(
    edges
      .filter((edge) => edge.operationId === operationId)
      .map((edge) => [`${edge.steps.join(".") || "body"}: ${edge.bound}`, edge] as const),
  )("%s", async (_, edge) => {
    for (const value of edge.inside) expect(await faults(edge, value)).toEqual([]);
    expect(await faults(edge, edge.outside)).not.toEqual([]);
  });
});

test("bounds are tested for every request with a JSON body and no parameter in its path", () => {
  expect(new Set(edges.map(({ operationId }) => operationId))).toEqual(new Set(["generateQuotes", "pushShipments", "pushActivities"]));
  expect(edges.length).toBeGreaterThan(60);
});
