// Every field of the table of import fields works everywhere: in uploads, pushes, row checks, ledger, error report, OpenAPI document and audit.
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";
import { activityValues } from "../../../src/audit/evidence/evidenceTables.js";
import { columnsOf, type Field } from "../../../src/domain/imports/fields.js";
import { eventually } from "../../support/eventually.js";
import { type Role, startProjector, startWorker } from "../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

type Json = Record<string, unknown>;
type Kind = "shipments" | "activities";

const places: Json = {
  originPostCode: "2000",
  originSuburb: "Sydney",
  originState: "NSW",
  originCountryCode: "AU",
  destinationPostCode: "3000",
  destinationSuburb: "Melbourne",
  destinationState: "VIC",
  destinationCountryCode: "AU",
};

const good: Record<Field["type"], (field: Field) => string | number> = {
  identifier: () => "ID-1",
  customer: () => "CUST-001",
  text: ({ name }) => `some ${name}`,
  place: ({ name }) => String(places[name]),
  number: () => 12.5,
  nonZero: () => -2,
  positive: () => 3,
  time: () => "2026-03-01T09:30:00Z",
};

/** For each type of field a value that is rejected, and the reason. */
const bad: Record<Field["type"], (field: Field) => readonly [value: string, reason: string]> = {
  identifier: ({ name }) => ["x".repeat(201), `${name} is longer than 200 characters`],
  customer: () => ["NOBODY", "Customer not found"],
  text: ({ name }) => ["x".repeat(1001), `${name} is longer than 1000 characters`],
  place: () => ["nowhere", "Zone(s) not found"],
  number: ({ heading }) => ["many", `Valid ${heading.toLowerCase()} is required`],
  nonZero: ({ heading }) => ["0", `Valid ${heading.toLowerCase()} is required`],
  positive: ({ heading }) => ["-1", `Valid ${heading.toLowerCase()} is required`],
  time: ({ heading }) => ["someday", `Valid ${heading.toLowerCase()} is required`],
};

const routes = {
  shipments: { file: "/v1/org/shipments/imports/file", push: "/v1/org/shipments/imports", ledger: "/v1/org/ledger/shipments" },
  activities: {
    file: "/v1/org/fulfilment/activities/file",
    push: "/v1/org/fulfilment/activities",
    ledger: "/v1/org/ledger/activities",
  },
};

let service: TestService;
let roles: Role[];
let openApi: Json;
beforeAll(async () => {
  service = await startTestService();
  roles = [startProjector(service), startWorker(service)];
  openApi = (await (await fetch(`${service.url}/openapi.json`)).json()) as Json;
});
afterAll(async () => {
  await Promise.all((roles ?? []).map((role) => role.stop()));
  await service?.close();
});

/** Waits for the import behind an accepted push. */
async function completed(organisation: TestOrganisation, accepted: Response): Promise<Json> {
  const answer = (await accepted.json()) as Json;
  expect(accepted.status, JSON.stringify(answer)).toBe(202);
  let status: Json = {};
  await eventually(async () => {
    status = (await (await organisation.get(String(answer["statusUrl"]))).json()) as Json;
    return status["status"] === "completed";
  }, "the import to be completed");
  return status;
}

async function reportRows(link: string): Promise<string[][]> {
  const answer = await fetch(link.replace(service.deps.publicUrl, service.url));
  const path = join(service.deps.tempDir, randomUUID());
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  const rows: string[][] = [[...(await spreadsheets.readHeader(path, "report.xlsx")).columns]];
  for await (const batch of spreadsheets.readRows(path)) rows.push(...batch.rows.map((row) => row.cells.map(String)));
  return rows;
}

/** The part of the OpenAPI document at these steps, with references resolved; undefined where a step is missing. */
const described = (...steps: string[]): unknown =>
  steps.reduce<unknown>((node, step) => {
    const found = (node as Json | undefined)?.[step] as Json | undefined;
    return typeof found?.["$ref"] === "string" ? described(...found["$ref"].split("/").slice(1)) : found;
  }, openApi);

describe.each<Kind>(["shipments", "activities"])("every field of %s", (kind) => {
  const fields = columnsOf(kind);
  const goodValue = (field: Field) => good[field.type](field);
  let ledgerOfFile: Json[];
  let ledgerOfPush: Json[];
  let report: string[][];

  beforeAll(async () => {
    const row = (spoilt?: Field) =>
      fields.map((field) => {
        if (field === spoilt) return bad[field.type](field)[0];
        return field.name === "shipmentId" ? `S-${spoilt?.name ?? "good"}` : String(goodValue(field));
      });
    const lines = [fields.map(({ name }) => name), row(), ...fields.map((field) => row(field))].map((cells) => cells.join(","));
    const byFile = await service.organisation();
    const upload = await byFile.upload(routes[kind].file, new File([lines.join("\n")], "all.csv"));
    const status = await completed(byFile, upload);
    expect(status["counts"]).toEqual({ received: fields.length + 1, processed: 1, failed: fields.length });
    report = await reportRows(String(status["errorReportUrl"]));
    ledgerOfFile = ((await (await byFile.get(routes[kind].ledger)).json()) as { items: Json[] }).items;

    const pushed = (part: Field["part"]) =>
      Object.fromEntries(fields.flatMap((field) => (field.part === part ? [[field.name, goodValue(field)]] : [])));
    const body =
      kind === "activities"
        ? { activities: [pushed("activity")] }
        : { shipments: [{ ...pushed("shipment"), items: [pushed("goodsLine")] }] };
    const byPush = await service.organisation();
    await completed(byPush, await byPush.post(routes[kind].push, body));
    ledgerOfPush = ((await (await byPush.get(routes[kind].ledger)).json()) as { items: Json[] }).items;
  });

  const shownIn = (items: readonly Json[], { name, part }: Field) => {
    const [first = {}] = items;
    const shown = part === "goodsLine" ? (first["items"] as Json[])[0] : first;
    return shown?.[name];
  };

  test.each(fields)("$name is in the ledger, from a file and from a push", (field) => {
    const value = field.name === "shipmentId" ? "S-good" : goodValue(field);
    expect(shownIn(ledgerOfFile, field)).toBe(value);
    expect(shownIn(ledgerOfPush, field)).toBe(goodValue(field));
  });

  test.each(fields)("$name is checked by its type, and its wrong value is in the error report", (field) => {
    const [value, reason] = bad[field.type](field);
    const column = report[0]?.indexOf(field.name) ?? -1;
    expect(column).toBeGreaterThan(1);
    const rejected = report.find((cells) => cells[column] === value);
    expect(rejected?.[1]).toContain(reason);
  });

  test.each(fields)("$name is described in the OpenAPI document", ({ name, part }) => {
    const inItem = part === "goodsLine" ? ["items", "items", "properties"] : [];
    const json = ["content", "application/json", "schema", "properties"];
    const ledger = ["paths", routes[kind].ledger, "get", "responses", "200", ...json, "items", "items", "properties", ...inItem, name];
    const push = ["paths", routes[kind].push, "post", "requestBody", ...json, kind, "items", "properties", ...inItem, name];
    expect(described(...ledger)).toBeDefined();
    expect(described(...push)).toBeDefined();
    expect(described("paths", routes[kind].file, "post", "description")).toMatch(new RegExp(`\\b${name}\\b`));
  });
});

test.each(columnsOf("activities"))("$name is compared by the audit", (field) => {
  const value = good[field.type](field);
  expect(activityValues({ values: { [field.name]: value } as never })[field.ledgerColumn]).toBe(value);
});
