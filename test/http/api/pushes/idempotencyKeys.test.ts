import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { applyOrganisation } from "../../../../src/commands/organisations/organisation.js";
import { parseOrganisationFile } from "../../../../src/domain/catalogue/organisationFile.js";
import { organisationFile } from "../../../support/organisationFile.js";
import { organisationDeps } from "../../../support/service.js";
import { activitiesPath, activity, activityCsv, csv, shipment, shipmentsPath, usePushes } from "./stage.js";

const stage = usePushes();
const { fresh, queued } = stage;

describe("an Idempotency-Key", () => {
  const push = (headers: Record<string, string>, body: unknown = { activities: [activity] }) =>
    stage.org.post(activitiesPath, body, headers);
  const idOf = async (answer: Response) => ((await answer.json()) as { importId: string }).importId;

  it("makes a repeated push the same import; without a key every push is another import", async () => {
    await fresh();
    const key = { "idempotency-key": randomUUID() };
    const first = await push(key);
    const again = await push(key);
    expect(again.status).toBe(202);
    expect(await again.json()).toEqual(await first.json());
    expect(await idOf(await push({}))).not.toBe(await idOf(await push({})));
    expect(await queued(stage.org.id)).toBe(3);
  });

  it("used for another body is 422", async () => {
    await fresh();
    const key = { "idempotency-key": "k-1" };
    await push(key);
    const other = await push(key, { activities: [activity, activity] });
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ statusCode: 422, error: "Unprocessable Entity" });
    expect((await stage.org.post(shipmentsPath, { shipments: [shipment("A")] }, key)).status).toBe(422);
    expect(await queued(stage.org.id)).toBe(1);
  });

  it("sent ten times at once makes one import and keeps one file", async () => {
    await fresh();
    const key = { "idempotency-key": randomUUID() };
    const ids = await Promise.all(Array.from({ length: 10 }, async () => idOf(await push(key))));
    expect(new Set(ids).size).toBe(1);
    expect(await queued(stage.org.id)).toBe(1);
    const objects: string[] = [];
    for await (const { key: object } of stage.service.objectStore.list(`uploads/${stage.org.id}/`)) objects.push(object);
    expect(objects).toHaveLength(1);
  });

  it("is not shared with another organisation, and can be used again after 24 hours", async () => {
    const key = { "idempotency-key": "shared" };
    await fresh();
    const first = await idOf(await push(key));
    const mine = stage.org;
    await fresh();
    expect(await idOf(await push(key))).not.toBe(first);
    stage.org = mine;
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(Date, "parse").mockImplementationOnce((text) => new Date(text).getTime() - 24 * 3_600_000 - 1000);
    expect(await idOf(await push(key))).not.toBe(first);
  });

  it("works for files too: the same file again, whatever the multipart boundary", async () => {
    await fresh();
    const key = { "idempotency-key": "file-1" };
    const first = await idOf(await stage.org.upload(`${activitiesPath}/file`, csv(activityCsv), {}, key));
    expect(await idOf(await stage.org.upload(`${activitiesPath}/file`, csv(activityCsv), {}, key))).toBe(first);
    expect((await stage.org.upload(`${activitiesPath}/file`, csv(`${activityCsv}\n`), {}, key)).status).toBe(422);
  });

  it("gives the first answer also when the catalogue has lost a custom field since", async () => {
    const withField = (file: ReturnType<typeof organisationFile>) => file.customFields.push({ key: "deptCode", label: "Department" });
    stage.org = await stage.service.organisation(withField);
    const pushed = { shipments: [{ ...shipment("A"), customFields: { deptCode: "d" } }] };
    const header = "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,deptCode";
    const send = (name: string) => [
      () => stage.org.post(shipmentsPath, pushed, { "idempotency-key": `${name}-data` }),
      () =>
        stage.org.upload(
          `${shipmentsPath}/file`,
          csv(`${header}\nA,2000,Sydney,3000,Melbourne,Carton,d\n`),
          {},
          { "idempotency-key": `${name}-file` },
        ),
    ];
    const first = await Promise.all(send("k").map(async (each) => idOf(await each())));
    const parsed = parseOrganisationFile(organisationFile(stage.org.id));
    if (!parsed.ok) throw new Error(parsed.faults.join());
    await applyOrganisation(organisationDeps(stage.service.pool, stage.service.eventStore), parsed.file, {
      by: { kind: "cli" as const, id: "test" },
      correlationId: randomUUID(),
    });
    expect(await Promise.all(send("k").map(async (each) => idOf(await each())))).toEqual(first);
    expect(await Promise.all(send("new").map(async (each) => (await each()).status))).toEqual([400, 400]);
  });

  it("that is malformed is a 400", async () => {
    await fresh();
    expect((await push({ "idempotency-key": "x".repeat(256) })).status).toBe(400);
    expect((await push({ "idempotency-key": "x".repeat(255) })).status).toBe(202);
  });
});
