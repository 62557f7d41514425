// A whole service with a projector, whose late reports are made when the test says so.
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";
import { makeLateReports } from "../../../src/workers/imports/upkeep/lateReports.js";
import { startProjector } from "../../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../../support/service.js";

export interface LateReportStage {
  readonly service: TestService;
  /** Makes the reports that are due. */
  makeDue(): Promise<void>;
  check(organisation: TestOrganisation, statusUrl: string): Promise<Shown>;
  /** The import's status as projected. */
  table(importId: string): Promise<string | undefined>;
  /** The workbook behind a link, header first. */
  opened(link: string): Promise<string[][]>;
  close(): Promise<void>;
}

export interface Shown {
  readonly status: string;
  readonly counts: { readonly received: number; readonly failed: number };
  readonly errorReportUrl: string | null;
}

export const { signal } = new AbortController();

export async function openLateReportStage(): Promise<LateReportStage> {
  const service = await startTestService();
  const projector = startProjector(service);
  return {
    service,
    makeDue: () => makeLateReports({ ...service.deps, signal }, service.deps.tempDir),
    check: async (organisation, statusUrl) => (await (await organisation.get(statusUrl)).json()) as Shown,
    table: async (importId) =>
      (await service.pool.query<{ status: string }>("select status from imports where import_id = $1", [importId])).rows[0]?.status,
    opened: async (link) => workbookIn(await fetch(link.replace(service.deps.publicUrl, service.url)), service),
    async close() {
      await projector.stop();
      await service.close();
    },
  };
}

/** The rows of the workbook that an answer has, header first. */
export async function workbookIn(answer: Response, { deps }: TestService): Promise<string[][]> {
  expect(answer.status).toBe(200);
  const path = join(deps.tempDir, randomUUID());
  await writeFile(path, Buffer.from(await answer.arrayBuffer()));
  const rows: string[][] = [[...(await spreadsheets.readHeader(path, "report.xlsx")).columns]];
  for await (const batch of spreadsheets.readRows(path)) rows.push(...batch.rows.map((row) => row.cells.map(String)));
  return rows;
}
