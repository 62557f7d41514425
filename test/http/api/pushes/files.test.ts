import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { activitiesPath, activityCsv, csv, shipmentsPath, usePushes } from "./stage.js";

const stage = usePushes();
const { fresh, eventsOf, queued } = stage;

describe("a file", () => {
  it("is recorded with its name and size, and answered without a row count", async () => {
    await fresh();
    const answer = await stage.org.upload(`${activitiesPath}/file`, csv(activityCsv, "März & Co.csv"));
    expect(answer.status).toBe(202);
    const body = (await answer.json()) as { importId: string };
    expect(body).toEqual({
      importId: expect.any(String),
      status: "queued",
      source: "file",
      statusUrl: `/v1/org/fulfilment/imports/${body.importId}`,
    });
    const [event] = await eventsOf(body.importId);
    expect(event?.data).toMatchObject({
      source: "file",
      sourceDetails: "März & Co.csv",
      file: { name: "März & Co.csv", format: "csv", size: activityCsv.length },
    });
  });

  it("may name custom fields of the organisation by key or by long name", async () => {
    await fresh();
    const header = "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,costCentre,customFields.project";
    expect((await stage.org.upload(`${shipmentsPath}/file`, csv(`${header}\nA,2000,,3000,,Carton,1,2\n`))).status).toBe(202);
  });

  it.each([
    [
      "a header that does not match",
      `${shipmentsPath}/file`,
      csv("shipmentId,originPostCode,originSuburb,destinationPostCode,colour,size\n"),
      "Invalid file structure. Missing required column(s): destinationSuburb, itemType. Unrecognised column(s): colour, size.",
    ],
    [
      "missing columns only",
      `${activitiesPath}/file`,
      csv("warehouseCode,chargeCode,quantity\n"),
      "Invalid file structure. Missing required column(s): activityTimestamp.",
    ],
    [
      "an unknown column only",
      `${activitiesPath}/file`,
      csv(`${activityCsv.split("\n")[0]},colour\n`),
      "Invalid file structure. Unrecognised column(s): colour.",
    ],
    [
      "the .xls format",
      `${activitiesPath}/file`,
      new File([Buffer.from("d0cf11e0a1b11ae100", "hex")], "old.xls"),
      expect.stringContaining("Re-save it as .csv or .xlsx"),
    ],
    [
      "another type's name",
      `${activitiesPath}/file`,
      new File([activityCsv], "activities.txt"),
      "The file's type is not supported. Upload a file whose name ends in .csv or .xlsx.",
    ],
    ["no content", `${activitiesPath}/file`, csv(""), expect.stringContaining("empty")],
    [
      "a picture's content",
      `${activitiesPath}/file`,
      new File([Buffer.from("89504e470d0a1a0a", "hex")], "a.csv"),
      expect.stringContaining("PNG"),
    ],
  ])("with %s is refused with one sentence and leaves nothing behind", async (_name, path, file, message) => {
    await fresh();
    const answer = await stage.org.upload(path, file);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ statusCode: 400, error: "Bad Request", message });
    expect(await readdir(stage.service.deps.tempDir)).toEqual([]);
    expect(await queued(stage.org.id)).toBe(0);
  });

  it("that is missing is refused, with or without a body", async () => {
    await fresh();
    for (const answer of [
      await stage.org.post(`${activitiesPath}/file`, {}),
      await fetch(`${stage.service.url}${activitiesPath}/file`, { method: "POST", headers: { "x-api-key": stage.org.key } }),
    ]) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ message: expect.stringContaining("file is required") });
    }
  });

  it("of 52,428,800 bytes is accepted, one byte more is a 413", async () => {
    await fresh();
    const rows = Buffer.alloc(52_428_800, "x");
    rows.write(activityCsv);
    rows.write("\n", rows.length - 1);
    for (let at = 1000; at < rows.length; at += 1000) rows[at] = 10;
    expect((await stage.org.upload(`${activitiesPath}/file`, new File([rows], "full.csv"))).status).toBe(202);
    const over = await stage.org.upload(`${activitiesPath}/file`, new File([rows, "\n"], "over.csv"));
    expect(over.status).toBe(413);
    expect(await over.json()).toEqual({ statusCode: 413, error: "Payload Too Large", message: expect.stringContaining("50 MB") });
    await expect.poll(() => readdir(stage.service.deps.tempDir)).toEqual([]);
  });
});
