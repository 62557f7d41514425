import { describe, expect, test } from "vitest";
import { parseJson } from "../../../src/http/server/parseJson.js";
import { good, useEchoAndErrors } from "./echoAndErrors.js";

const stage = useEchoAndErrors();
const { post } = stage;

const listOf = (count: number, value: unknown) => Array.from({ length: count }, () => value);
const named = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, "x"]));

describe("a request body", () => {
  test("may have brackets in its texts", async () => {
    const response = await post(JSON.stringify({ ...good, fields: { a: '\\"'.repeat(9) + "[{".repeat(99), '"[[': "\\" } }));
    expect(response.status).toBe(200);
  });

  test("that is valid is given to the route with the caller", async () => {
    const response = await post(JSON.stringify({ ...good, fields: { a: "b" } }), { path: "/v1/echo/a%2Fb%20c?limit=500" });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      params: { id: "a/b c" },
      query: { limit: 500 },
      body: { ...good, fields: { a: "b" } },
      organisationId: stage.organisationId,
      catalogueVersion: 7,
    });
  });

  test.each<[string, unknown, string[]]>([
    ["no items", { text: "a", items: [] }, ["items must contain at least 1 element"]],
    ["one item too many", { text: "a", items: Array(4).fill({ quantity: 1 }) }, ["items must contain at most 3 elements"]],
    ["an unknown field", { ...good, colour: 1 }, ["colour is not a recognised field"]],
    ["an unknown field inside", { text: "a", items: [{ quantity: 1, size: 2 }] }, ["items.0.size is not a recognised field"]],
    ["missing fields", { items: [{}] }, ["text is required", "items.0.quantity is required"]],
    ["wrong types", { text: 1, items: "x" }, ["text must be a string", "items must be an array"]],
    ["a fraction", { text: "a", items: [{ quantity: 1.5 }] }, ["items.0.quantity must be a whole number"]],
    ["zero", { text: "a", items: [{ quantity: 0 }] }, ["items.0.quantity must be at least 1"]],
    ["an empty text", { ...good, text: "" }, ["text must not be empty"]],
    ["a long text", { ...good, text: "abcdef" }, ["text must be at most 5 characters long"]],
    ["a list", [], ["body must be an object"]],
    ["null", null, ["body must be an object"]],
  ])("with %s is refused, and the path is named", async (_, body, message) => {
    const response = await post(JSON.stringify(body));
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ statusCode: 400, message, error: "Bad Request" });
  });

  test.each([
    ["at the top", '{"__proto__":{"x":1},"text":"a","items":[{"quantity":1}]}', "__proto__ is not a recognised field"],
    ["in an item", '{"text":"a","items":[{"quantity":1,"__proto__":{}}]}', "items.0.__proto__ is not a recognised field"],
    ["among free keys", '{"text":"a","items":[{"quantity":1}],"fields":{"__proto__":"x"}}', "fields.__proto__ is not a recognised field"],
    ["in disguise", '{"text":"a","items":[{"quantity":1}],"fields":{"\\u005f_proto__":"x"}}', "fields.__proto__ is not a recognised field"],
    [
      "with a letter in disguise",
      '{"text":"a","items":[{"quantity":1}],"fields":{"__pr\\u006fto__":"x"}}',
      "fields.__proto__ is not a recognised field",
    ],
  ])("with a __proto__ key %s is refused, and the path is named", async (_, body, message) => {
    expect(await (await post(body)).json()).toEqual({ statusCode: 400, message: [message], error: "Bad Request" });
  });

  test.each<[string, string | Uint8Array, RegExp]>([
    ["nothing", "", /nothing was sent/],
    ["broken JSON", '{"text":', /must be valid JSON/],
    ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), /UTF-8/],
    ["a deep nest after an escaped backslash", `["\\\\",${"[".repeat(40)}${"]".repeat(40)}]`, /nested deeper/],
    ["a deep nest", "[".repeat(400) + "]".repeat(400), /nested deeper/],
  ])("that is %s is 400", async (_, body, message) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ statusCode: 400, message: [expect.stringMatching(message)], error: "Bad Request" });
  });

  test("may have 300,000 fields, which is more than any push has, and not one more", () => {
    const body = (fields: number) => Buffer.from(`{${'"":"::",'.repeat(fields - 1)}"":0}`);
    expect(parseJson(body(300_000))).toEqual({ "": 0 });
    expect(() => parseJson(body(300_001))).toThrow("body must have at most 300000 fields in all");
  });

  test("may have 600,000 values, and not one more", () => {
    const body = (values: number) => Buffer.from(`[${'"[,",'.repeat(values - 1)}0]`); // values are counted by opening brackets and commas
    expect(parseJson(body(600_000))).toHaveLength(600_000);
    expect(() => parseJson(body(600_001))).toThrow("body must have at most 600000 values in all");
    expect(() => parseJson(Buffer.from(`[${"{},".repeat(300_000)}{}]`))).toThrow("values in all");
  });

  test.each<[string, unknown]>([
    [
      "shipments",
      { shipments: listOf(1_000, { ...named(14), customFields: named(200), items: listOf(10, named(3)) }), sourceDetails: "x" },
    ],
    ["activities", { activities: listOf(10_000, named(7)), sourceDetails: "x" }],
    [
      "quotes",
      {
        general: { customerIds: listOf(50, "x") },
        origin: named(8),
        destination: named(8),
        items: listOf(1_000, named(7)),
        filters: Object.fromEntries(Object.keys(named(5)).map((name) => [name, listOf(500, "x")])),
      },
    ],
  ])("of the most %s that the contract allows is parsed", (_, body) => {
    expect(parseJson(Buffer.from(JSON.stringify(body)))).toBeTypeOf("object");
  });

  test("may be exactly as large as its bound and not one byte larger, with and without a declared length", async () => {
    const json = JSON.stringify(good);
    const sized = (size: number) => json + " ".repeat(size - json.length);
    for (const [size, status] of [
      [999, 200],
      [1000, 200],
      [1001, 413],
    ] as const) {
      expect((await post(sized(size))).status).toBe(status);
      expect((await post(sized(size), { headers: { "content-length": String(size) } })).status).toBe(status);
    }
    const refused = await post(sized(1001));
    expect(await refused.json()).toEqual({ statusCode: 413, message: expect.stringContaining("1000 bytes"), error: "Payload Too Large" });
  });

  test.each([
    ["text/plain", {}],
    ["multipart/form-data; boundary=x", {}],
    ["application/json; charset=latin1", {}],
    ["application/json", { "content-encoding": "gzip" }],
  ])("sent as %s %j is 415", async (type, headers) => {
    const response = await post(JSON.stringify(good), { headers: { "content-type": type, ...headers } });
    expect(response.status).toBe(415);
    expect(await response.json()).toMatchObject({ statusCode: 415, error: "Unsupported Media Type" });
  });

  test("with very many faults lists a hundred and counts the rest", async () => {
    const keys = Object.fromEntries(Array.from({ length: 105 }, (_, index) => [`k${index}`, 1]));
    const { message } = (await (await post(JSON.stringify({ ...good, ...keys }))).json()) as { message: string[] };
    expect(message).toHaveLength(101);
    expect(message.at(-1)).toBe("... and 5 more");
  });
});
