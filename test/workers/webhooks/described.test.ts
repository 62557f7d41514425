import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, expect, test } from "vitest";
import { enqueuePing } from "../../../src/commands/webhooks/deliveries.js";
import { replayEvents } from "../../../src/commands/webhooks/replay.js";
import { webhookEventTypes } from "../../../src/domain/webhooks/types.js";
import { streamOf } from "../../../src/events/streams.js";
import { describeApi } from "../../../src/http/api/document/describeApi.js";
import { noStream } from "../../../src/ports/eventStore.js";
import { eventually } from "../../support/eventually.js";
import { reversal } from "../../support/importStory.js";
import { openStage, type Stage } from "./stage.js";

interface Described {
  readonly post: {
    readonly parameters: readonly { name: string; in: string; required: boolean }[];
  };
}

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

/** Imports of which endpoints are told by every type. Returns how many events that is. */
async function recordEveryType(organisationId: string): Promise<number> {
  const { importId } = await stage.record(organisationId, { report: "reports/x/1.xlsx" });
  await stage.eventStore.append(streamOf.reversals(importId), [reversal({ importId, organisationId })], noStream);
  await stage.record(organisationId, { end: "failed" });
  await stage.record(organisationId, { end: "cancelled", rows: [] });
  return 7;
}

test("the body and headers of every webhook are as the OpenAPI document describes, and every described webhook is sent", async () => {
  const document = describeApi([], "https://waybill.example.com");
  const { webhooks } = document as unknown as { webhooks: Record<string, Described> };
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, "document");
  const organisationId = await stage.newOrganisation();
  const receiver = await stage.receiver(organisationId);
  stage.work();
  const sent = await recordEveryType(organisationId);
  await enqueuePing(stage.pool, { organisationId, endpointId: receiver.endpointId }, crypto.randomUUID());
  await eventually(() => receiver.got.length === sent + 1, "everything");
  for (const { type, body, headers } of receiver.got) {
    const { parameters } = webhooks[type]?.post ?? { parameters: [] };
    expect(parameters.length, type).toBeGreaterThan(0);
    for (const { name, in: place, required } of parameters) {
      expect([place, required]).toEqual(["header", true]);
      expect(headers[name], name).toBeTypeOf("string");
    }
    const fits = ajv.compile({ $ref: `document#/webhooks/${type}/post/requestBody/content/application~1json/schema` });
    expect(fits(JSON.parse(body)), JSON.stringify(fits.errors)).toBe(true);
    for (const broken of [{}, { ...JSON.parse(body), type: "other" }, { ...JSON.parse(body), data: {} }])
      expect(fits(broken), JSON.stringify(broken)).toBe(false);
  }
  expect(new Set(receiver.got.map(({ type }) => type))).toEqual(new Set(Object.keys(webhooks)));
});

test("a replay finds the events of every type in their streams", async () => {
  const organisationId = await stage.newOrganisation();
  const receiver = await stage.receiver(organisationId);
  const endpoint = { organisationId, endpointId: receiver.endpointId };
  const sent = await recordEveryType(organisationId);
  const allDelivered = async () =>
    (await stage.deliveries(organisationId, endpoint.endpointId)).every(({ status }) => status === "delivered");
  await eventually(async () => receiver.got.length === sent && (await allDelivered()), "everything");
  expect(new Set(receiver.got.map(({ type }) => type))).toEqual(new Set(webhookEventTypes));
  const first = receiver.got.map(({ id }) => id).sort();
  await stage.pool.query("delete from webhook_events");
  expect(await replayEvents(stage, endpoint, new Date(0))).toBe(sent);
  await eventually(() => receiver.got.length === 2 * sent, "the replay");
  expect(
    receiver.got
      .slice(sent)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(first);
});
