import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compressText } from "../../../src/http/server/compress.js";
import { type AppEnv, sendAnswer } from "../../../src/http/server/requestMiddleware.js";
import { addMember, signedIn, withoutToken } from "../../support/portal/portal.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

describe("a text answer", () => {
  const app = new Hono<AppEnv>();
  app.get("/:length", (c) => {
    c.set("answerHeaders", {});
    return sendAnswer(c, { status: 200, json: JSON.stringify("x".repeat(Number(c.req.param("length")) - 2)) });
  });
  const ask = (length: number, accepted?: string) =>
    app.request(`/${length}`, { headers: accepted ? { "accept-encoding": accepted } : {} });

  test.each([
    [1_399, null],
    [1_400, "br"],
    [1_401, "br"],
  ])("of %i bytes has the encoding %j", async (length, encoding) => {
    const answer = await ask(length, "gzip, br");
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    expect(answer.headers.get("vary")).toBe(encoding && "accept-encoding");
  });

  test.each([
    [16_383, "string"],
    [16_384, "object"],
    [16_385, "object"],
  ])("of %i characters that is not compressed is sent as a %s, so that a large one is not copied on its way", async (length, type) => {
    const { body } = compressText({ req: { header: () => undefined } }, "é".repeat(length));
    expect(typeof body).toBe(type);
    expect(Buffer.from(body).toString()).toBe("é".repeat(length));
    expect(await (await ask(length)).text()).toBe(JSON.stringify("x".repeat(length - 2)));
  });

  test.each([
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["GZIP, deflate, BR", "br"],
    ["gzip;q=0", null],
    ["identity", null],
    ["*", null],
    [",;,", null],
    [undefined, null],
  ])("to a caller who accepts %j has the encoding %j, and is the same text", async (accepted, encoding) => {
    const answer = await ask(5_000, accepted);
    expect(answer.headers.get("content-encoding")).toBe(encoding);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const text = encoding === "br" ? brotliDecompressSync(bytes) : encoding === "gzip" ? gunzipSync(bytes) : bytes;
    expect(text.toString()).toBe(JSON.stringify("x".repeat(4_998)));
  });
});

describe("over a socket", () => {
  let service: TestService;
  let organisation: TestOrganisation;
  beforeAll(async () => {
    service = await startTestService();
    organisation = await service.organisation();
  });
  afterAll(() => service.close());

  const headersOf = (path: string, headers: Record<string, string> = {}) =>
    new Promise<Record<string, unknown>>((resolve, reject) => {
      const call = request(`${service.url}${path}`, { headers: { "accept-encoding": "gzip, br", ...headers } }, (answer) => {
        resolve(answer.headers);
        answer.destroy();
      });
      call.on("error", reject).end();
    });

  test("pages, style sheets, scripts and the API's document are compressed, and a page's content is whole", async () => {
    const member = await addMember(service, organisation.id, "admin");
    const visitor = await signedIn(service, member);
    const cookie = `waybill=${visitor.cookies.get("waybill")}`;
    const plain = await (await fetch(`${service.url}/portal`, { headers: { cookie, "accept-encoding": "identity" } })).text();
    const assets = [...plain.matchAll(/(?:href|src)="([^"]*\/assets\/[^"]*(?:styles|htmx)[^"]*)"/g)].map(([, path]) => path ?? "");
    expect(assets).toHaveLength(2);
    for (const path of ["/portal", "/docs", "/docs/reference.css", "/openapi.json", ...assets])
      expect([path, (await headersOf(path, { cookie }))["content-encoding"]]).toEqual([path, "br"]);
    const page = await (await fetch(`${service.url}/portal`, { headers: { cookie, "accept-encoding": "br" } })).text();
    expect(withoutToken(page)).toBe(withoutToken(plain));
  });

  test("an event stream is not", async () => {
    const visitor = await signedIn(service, await addMember(service, organisation.id, "admin"));
    const headers = await headersOf("/portal/live/imports", { cookie: `waybill=${visitor.cookies.get("waybill")}` });
    expect(headers["content-type"]).toContain("text/event-stream");
    expect(headers["content-encoding"]).toBeUndefined();
  });

  test("two pages of one session show different tokens, and both are accepted", async () => {
    const visitor = await signedIn(service, await addMember(service, organisation.id, "admin"));
    const headers = { cookie: `waybill=${visitor.cookies.get("waybill")}`, origin: service.url };
    const tokenOf = async () =>
      /name="form-token" content="([\w-]+)"/.exec(await (await fetch(`${service.url}/portal`, { headers })).text())?.[1] ?? "";
    const tokens = [await tokenOf(), await tokenOf()];
    expect(new Set(tokens).size).toBe(2);
    const create = (token: string) =>
      fetch(`${service.url}/portal/settings/keys`, {
        method: "POST",
        headers,
        body: new URLSearchParams({ token, name: "laptop", scopes: "read" }),
        redirect: "manual",
      });
    for (const token of tokens) expect((await create(token)).status).toBe(303);
    const changed = tokens[0]?.replace(/.$/, (last) => (last === "A" ? "Q" : "A")) ?? "";
    for (const token of [changed, tokens[0]?.slice(0, 43) ?? "", ""]) expect((await create(token)).status).toBe(403);
  });
});
