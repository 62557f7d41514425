// "Check file" checks a file as an import would, over a real socket and in a real process.
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { checksInProcesses } from "../../../support/checksHere.js";
import { addMember, formToken, signedIn, type Visitor } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { projectLog } from "../../../support/projectLog.js";
import { startWorker } from "../../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";
import { byScript, nothingUnusual, outcomeOf } from "./reportStage.js";

let service: TestService;
let organisation: TestOrganisation;
let who: Visitor;
let token: string;

beforeAll(async () => {
  service = await startTestService({}, undefined, { fileChecks: checksInProcesses() });
  organisation = await service.organisation(nothingUnusual);
  who = await signedIn(service, await addMember(service, organisation.id, "operator"));
  token = await formToken(who);
});
afterAll(() => service?.close());

const csv = (text: string, name = "orders.csv") => new File([text], name);
const checkPath = "/portal/upload?do=check";
const check = (kind: string, file: File) => who.upload(checkPath, { token, kind, page: randomUUID() }, file, byScript);
const linesOf = async (answer: Response) => {
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/x-ndjson"]);
  const lines = (await answer.text()).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as { share?: number; error?: string });
};
const htmlOf = async (answer: Response) => (await outcomeOf(answer, who)).html ?? "";
const figure = (html: string, label: string) => new RegExp(`<dt>${label}</dt><dd><span class="amount">([^<]*)<`).exec(html)?.[1];
const plain = (html: string) => html.replaceAll(/<[^>]*>/g, "").trim();
/** By reason: its heading, the values at fault and the cells of its rows. */
const problemsIn = (html: string) =>
  html
    .replace(/<details class="problems-in-order">.*<\/details>/s, "")
    .split('<div class="problem-group">')
    .slice(1)
    .map((group) => ({
      heading: plain(/<h3>(.*?)<\/h3>/.exec(group)?.[1] ?? ""),
      values: [...group.matchAll(/<div class="faulty-values">(.*?)<\/div>/g)].map(([, each = ""]) =>
        plain(each.replaceAll("<li", " | <li")),
      ),
      rows: [...group.matchAll(/<tr><th scope="row".*?<\/tr>/g)].map(([row]) =>
        [...row.matchAll(/<t[hd] .*?<\/t[hd]>/g)].map(([cell]) => plain(cell)),
      ),
    }));
const nothingLeft = () => until("the upload is removed", async () => (await readdir(service.deps.tempDir)).length === 0);

const shipmentColumns = "shipmentId,customerId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,itemQuantity";
const shipment = (id: string, change: { customer?: string; to?: string; quantity?: string } = {}) =>
  `${id},${change.customer ?? "CUST-001"},2000,Sydney,${change.to ?? "3000,Melbourne"},CARTON,${change.quantity ?? "1"}\n`;
const activity = (quantity: string) => `W1,PICK,${quantity},2026-03-01T00:00:00Z\n`;
const activities = (rows: string) => `warehouseCode,chargeCode,quantity,activityTimestamp\n${rows}`;

describe("checking a file", () => {
  test("shows accepted and rejected rows, new and replaced shipments, and each problem's row and column; nothing is recorded", async () => {
    const worker = startWorker(service);
    onTestFinished(worker.stop);
    const before = { shipments: [{ ...shipmentFields, shipmentId: "S-OLD", items: [{ itemType: "CARTON" }] }] };
    expect((await organisation.post("/v1/org/shipments/imports", before)).status).toBe(202);
    await until("the import has run", async () => (await service.pool.query("select from import_queue")).rowCount === 0);
    await worker.stop();
    await projectLog(service);
    const recorded = await service.eventStore.head();

    const file = [
      `${shipmentColumns}\n`,
      ...[shipment("S-OLD"), shipment("S-NEW"), shipment("S-NEW", { quantity: "2" })],
      ...[shipment("S-BAD", { quantity: "none" }), shipment("S-BAD"), shipment("S-FAR", { to: "0800,Darwin", customer: "NOBODY" })],
    ];
    const html = await htmlOf(await check("shipments", csv(file.join(""))));
    expect(["Rows", "Rows accepted", "Rows rejected", "New shipments", "Shipments replaced"].map((label) => figure(html, label))).toEqual([
      ...["6", "3", "3", "1", "1"],
    ]);
    const nowhere = "Customer not found; Destination Zone(s) not found: no zone of the catalogue has the postcode 0800";
    expect(problemsIn(html)).toEqual([
      {
        heading: "Valid item quantity is required 2 rows",
        values: ["itemQuantity | none 1 row"],
        rows: [["5", "itemQuantity", "none"]],
      },
      {
        heading: "Customer not found; Destination Zone(s) not found 1 row",
        values: ["customerId | NOBODY 1 row", "destinationPostCode, destinationSuburb | 0800, Darwin 1 row"],
        rows: [["7", "customerId, destinationPostCode, destinationSuburb", "NOBODY, 0800, Darwin"]],
      },
    ]);
    expect(html).toContain(`<p>${nowhere}</p>`);
    expect(html).toContain("And 1 more row, 1 without a fault of its own.");
    expect(await service.eventStore.head()).toEqual(recorded);
    expect((await service.pool.query("select from import_queue")).rowCount).toBe(0);
    await nothingLeft();
  });

  test("without scripts is shown on the page; the reason for a refused file is shown above the form", async () => {
    const send = (file: File) => who.upload(checkPath, { token, page: "p", kind: "activities" }, file);
    const recorded = await service.eventStore.head();
    const checked = await send(csv(activities(activity("1") + activity("0"))));
    const html = await htmlOf(checked);
    expect([checked.status, figure(html, "Rows accepted"), problemsIn(html)[0]?.rows]).toEqual([...[303, "1"], [["3", "quantity", "0"]]]);
    expect(html).toContain("<h1>orders.csv</h1>");
    const refused = await send(csv(`${"x".repeat(256)}\nW1\n`));
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("Column name(s) longer than 255 bytes: xxx")]);
    expect(await service.eventStore.head()).toEqual(recorded);
    await nothingLeft();
  });

  test.each([
    [4, 4, false],
    [5, 5, false],
    [6, 5, true],
  ])("of %i rows with one problem shows %i", async (problems, shown, more) => {
    const html = await htmlOf(await check("activities", csv(activities(activity("0").repeat(problems) + activity("1")))));
    expect([figure(html, "Rows rejected"), problemsIn(html)[0]?.rows.length]).toEqual([String(problems), shown]);
    expect(html.includes("And 1 more row.")).toBe(more);
  });

  test("a place that is not found is explained by the row's own postcode, whichever row has the reason first", async () => {
    const file = [`${shipmentColumns}\n`, shipment("S-1", { to: "0800,Darwin" }), shipment("S-2", { to: "6000,Perth" })];
    const [group] = problemsIn(await htmlOf(await check("shipments", csv(file.join("")))));
    expect(group?.rows.map((cells) => cells.at(-1))).toEqual([
      "Destination Zone(s) not found: no zone of the catalogue has the postcode 0800",
      expect.stringContaining("6000"),
    ]);
  });

  test("a file with an unusable header, without rows or broken inside gets the reason, and is removed", async () => {
    const wrong = await linesOf(await check("shipments", csv(`a,${"b".repeat(256)}\n1,2\n`)));
    expect(wrong.at(-1)?.error).toContain("Column name(s) longer than 255 bytes");
    expect(await linesOf(await check("activities", csv(activities(""))))).toContainEqual({
      error: "The file has no rows below its header row.",
    });
    const broken = await linesOf(await check("activities", csv(activities(`${activity("1").repeat(50_000)}"W1,PICK,1`))));
    expect(broken.at(-1)?.error).toMatch(/quot/i);
    await nothingLeft();
  });

  test("a member checks one file at a time; leaving the page during the upload frees the place and removes the file", async () => {
    const sending = request(`${service.url}${checkPath}`, {
      method: "POST",
      headers: {
        ...{ ...byScript, origin: service.url, "x-form-token": token, cookie: `waybill=${who.cookies.get("waybill")}` },
        ...{ "content-type": "multipart/form-data; boundary=b", "content-length": "1000000" },
      },
    });
    sending.on("error", () => undefined);
    onTestFinished(() => void sending.destroy());
    sending.write('--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\nwarehouseCode');
    await until("the upload has begun", async () => (await readdir(service.deps.tempDir)).length === 1);
    const second = await check("activities", csv(activities(activity("1"))));
    expect([second.status, await second.text()]).toEqual([409, expect.stringContaining("A check of yours is still running")]);
    sending.destroy();
    await nothingLeft();
    await until("the place is free", async () => (await check("activities", csv(activities(activity("1"))))).status === 200);
  });

  test("leaving the page while the file is checked removes the file and frees the place", async () => {
    const large = csv(activities(activity("0").repeat(300_000)));
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const body = new FormData();
    for (const [name, value] of Object.entries({ token, kind: "activities", page: "p" })) body.append(name, value);
    body.append("file", large);
    const cookie = `waybill=${who.cookies.get("waybill")}`;
    const headers = { ...byScript, origin: service.url, cookie };
    const answer = await fetch(`${service.url}${checkPath}`, { method: "POST", headers, body, signal: leaving.signal });
    const reader = answer.body?.getReader();
    await reader?.read();
    leaving.abort();
    await nothingLeft();
    await until("the place is free", async () => (await check("activities", csv(activities(activity("1"))))).status === 200);
  });
});

const shipmentFields = {
  ...{ originPostCode: "2000", originSuburb: "Sydney", destinationPostCode: "3000", destinationSuburb: "Melbourne" },
  ...{ customerId: "CUST-001" },
};
