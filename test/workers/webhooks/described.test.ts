import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ping } from "../../../src/commands/webhooks/deliveries.js";
import { describeApi } from "../../../src/http/api/openApi.js";
import { eventually } from "../../support/eventually.js";
import { openStage, type Stage } from "./stage.js";

interface Described {
  readonly post: {
    readonly parameters: readonly { name: string; in: string; required: boolean }[];
    readonly requestBody: { readonly content: { readonly "application/json": { readonly schema: Record<string, unknown> } } };
  };
}

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

test("every body that is sent is what the OpenAPI document describes, with its headers, and every described one is sent", async () => {
  const { webhooks } = describeApi([], "https://waybill.example.com") as unknown as { webhooks: Record<string, Described> };
  const organisationId = await stage.newOrganisation();
  const receiver = await stage.receiver(organisationId);
  stage.work();
  await stage.record(organisationId, { report: "reports/x/1.xlsx" });
  await stage.record(organisationId, { end: "failed" });
  await stage.record(organisationId, { end: "cancelled", rows: [] });
  await ping(stage.pool, { organisationId, endpointId: receiver.endpointId }, crypto.randomUUID());
  await eventually(() => receiver.got.length === 7, "everything");
  for (const { type, body, headers } of receiver.got) {
    const { parameters, requestBody } = webhooks[type]?.post ?? { parameters: [], requestBody: undefined };
    expect(parameters.length, type).toBeGreaterThan(0);
    for (const { name, in: place, required } of parameters) {
      expect([place, required]).toEqual(["header", true]);
      expect(headers[name], name).toBeTypeOf("string");
    }
    const schema = z.fromJSONSchema(requestBody?.content["application/json"].schema as z.core.JSONSchema.JSONSchema);
    expect(schema.safeParse(JSON.parse(body)), body).toMatchObject({ success: true });
    for (const broken of [{}, { ...JSON.parse(body), type: "other" }, { ...JSON.parse(body), data: {} }])
      expect(schema.safeParse(broken).success, JSON.stringify(broken)).toBe(false);
  }
  expect(new Set(receiver.got.map(({ type }) => type))).toEqual(new Set(Object.keys(webhooks)));
});
