// A service with a worker and a projector, and a member who downloads an error report, corrects it and uploads it.
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ExcelJS from "exceljs";
import { afterAll, beforeAll } from "vitest";
import { unusualKinds } from "../../../../src/domain/imports/unusual.js";
import { addMember, formToken, signedIn, type TestMember, type Visitor } from "../../../support/portal/portal.js";
import { until } from "../../../support/processes.js";
import { type Role, startProjector, startWorker } from "../../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../../support/service.js";

type Json = Record<string, never>;
type Kind = "shipments" | "activities";
export const statusPath = { shipments: "/v1/org/shipments/imports", activities: "/v1/org/fulfilment/imports" };
const uploadPath = { shipments: "/v1/org/shipments/imports/file", activities: "/v1/org/fulfilment/activities/file" };

interface Report {
  readonly importId: string;
  readonly name: string;
  readonly book: ExcelJS.Workbook;
  /** Sets a cell by its column name, in the nth row below the header. */
  set(row: number, column: string, value: string): void;
  drop(row: number): void;
  file(name?: string): Promise<File>;
}

/** What became of a form. */
export interface Outcome {
  readonly status: number;
  readonly goTo?: string;
  readonly error?: string;
  /** Of the draft's page, where it leads there. */
  readonly html?: string;
  readonly fileId?: string;
  readonly importId?: string;
}

/** Where the form of a script or of a browser without scripts leads. */
export async function outcomeOf(answer: Response, who: Visitor): Promise<Outcome> {
  const { status } = answer;
  const text = await answer.text();
  const moved = answer.headers.get("location");
  const line = moved
    ? { goTo: moved }
    : (JSON.parse(text.trim().split("\n").at(-1) ?? "{}") as { goTo?: string; error?: string; message?: string });
  if (!line.goTo) return { status, error: "message" in line ? (line.message ?? "") : (line.error ?? "") };
  const [, fileId, rest] = /^\/portal\/upload\/([0-9a-f-]{36})(.*)$/.exec(line.goTo) ?? [];
  const [, importId] = /^\/portal\/imports\/([0-9a-f-]{36})$/.exec(line.goTo) ?? [];
  const html = rest === "" ? await (await who.get(line.goTo)).text() : undefined;
  return { status, goTo: line.goTo, ...(html && { html }), ...(fileId && { fileId }), ...(importId && { importId }) };
}

/** The header of a script that sends a form. */
export const byScript = { accept: "application/x-ndjson" };

/** The id of the import that an outcome leads or links to. */
export const importIn = ({ html = "", importId }: Outcome) => /imports\/([0-9a-f-]{36})">Open/.exec(html)?.[1] ?? importId ?? "none";

export const header = "warehouseCode,chargeCode,quantity,activityTimestamp,reference";
const bad = (reference: string) => `W1,PICK,none,2026-03-01T00:00:00Z,${reference}`;
export const badActivities = (count: number) => `${header}\n${Array.from({ length: count }, (_, index) => bad(`r${index}`)).join("\n")}\n`;

/** Files of tests have whatever dates and codes: they would all be asked about. */
export const nothingUnusual = (file: object) => Object.assign(file, { unusual: { off: unusualKinds } });

/** Starts the stage for all tests of a file. */
export function useReports() {
  let service: TestService;
  let organisation: TestOrganisation;
  let member: TestMember;
  let who: Visitor;
  let token: string;
  let folder: string;
  let worker: Role | undefined;
  let projector: Role | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "waybill-reports-"));
    service = await startTestService();
    worker = startWorker(service);
    projector = startProjector(service);
    organisation = await service.organisation(nothingUnusual);
    member = await addMember(service, organisation.id, "operator");
    who = await signedIn(service, member);
    token = await formToken(who);
  });
  afterAll(async () => {
    await Promise.all([worker?.stop(), projector?.stop()]);
    await service?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function completed(kind: Kind, importId: string): Promise<Json> {
    let shown = {} as Json;
    await until("the import has completed", async () => {
      shown = (await (await organisation.get(`${statusPath[kind]}/${importId}`)).json()) as Json;
      return shown["status"] === "completed";
    });
    return shown;
  }

  async function uploaded(kind: Kind, text: string): Promise<string> {
    const answer = await organisation.upload(uploadPath[kind], new File([text], `${kind}.csv`));
    const { importId } = (await answer.json()) as { importId: string };
    await completed(kind, importId);
    return importId;
  }

  /** Downloads the error report of an import, ready to be edited. */
  async function reportOf(kind: Kind, importId: string): Promise<Report> {
    const { errorReportUrl } = (await completed(kind, importId)) as unknown as { errorReportUrl: string };
    const answer = await fetch(errorReportUrl.replace("http://127.0.0.1:3000", service.url));
    const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition") ?? "")?.[1] ?? "";
    const book = new ExcelJS.Workbook();
    await book.xlsx.load(await answer.arrayBuffer());
    const sheet = book.worksheets[0];
    if (!sheet) throw new Error("the report has no sheet");
    const headings = (sheet.getRow(1).values as string[]).slice(1);
    return {
      ...{ importId, name, book },
      set: (row, column, value) => {
        sheet.getRow(row + 1).getCell(headings.indexOf(column) + 1).value = value;
      },
      drop: (row) => sheet.spliceRows(row + 1, 1),
      file: async (as = name) => new File([new Uint8Array(await book.xlsx.writeBuffer())], as),
    };
  }

  const send = async (kind: Kind | "recognise", file: File, fields: Record<string, string> = {}, path = "/portal/upload") =>
    outcomeOf(await who.upload(path, { token, kind, page: randomUUID(), ...fields }, file, byScript), who);
  const check = (kind: Kind, file: File, fields = {}) => send(kind, file, fields, "/portal/upload?do=check");
  /** Sends the form of a draft's page, or of its columns. */
  const sendDraft = async (fileId: string, fields: Record<string, string | readonly string[]> = {}, page: "" | "/columns" = "") =>
    who.post(`/portal/upload/${fileId}${page}`, { token, do: "upload", ...fields });
  const upload = async (fileId = "none", fields: Record<string, string> = {}) => outcomeOf(await sendDraft(fileId, fields), who);
  const states = async (kind: Kind, importId: string) => {
    const { items } = (await (await organisation.get(`${statusPath[kind]}/${importId}/errors?limit=100`)).json()) as {
      items: { row: number; state: string; error: string }[];
    };
    return Object.fromEntries(items.map(({ row, state }) => [row, state]));
  };

  return {
    get service() {
      return service;
    },
    get organisation() {
      return organisation;
    },
    get member() {
      return member;
    },
    get who() {
      return who;
    },
    get folder() {
      return folder;
    },
    ...{ completed, uploaded, reportOf, send, check, sendDraft, upload, states },
  };
}
