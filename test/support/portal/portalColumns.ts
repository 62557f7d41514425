// A file that waits for its columns to be chosen, and a choice that was made for other files.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keepFile } from "../../../src/commands/imports/keptFiles.js";
import { rememberColumns } from "../../../src/commands/organisations/rememberColumns.js";
import { headingsKey } from "../../../src/domain/imports/columns/headings.js";
import type { TestService } from "../service.js";

const columns = [
  "Order no.",
  "Cust",
  "From suburb",
  "From post code",
  "Receiver town",
  "Post code",
  "Qty",
  "Weight (kg)",
  "Despatched",
  "Driver's notes",
];
const rows = [
  [
    "SO-20417",
    "CUST-001",
    "Sydney",
    "2000",
    "Melbourne",
    "3000",
    "4",
    "18.5",
    "23/04/2026",
    "Ring the bell at the loading dock, gate 3 is closed until...",
  ],
  ["SO-20418", "CUST-002", "Sydney", "2000", "Carlton", "3053", "1", "240", "23/04/2026", ""],
  ["SO-20419", "CUST-001", "Parramatta", "2150", "Richmond", "3121", "12", "7.25", "24/04/2026", "Fragile"],
];

export const chosenHeadings = { Site: "warehouseCode", Work: "chargeCode", Qty: "quantity", "Done on": "activityTimestamp", Notes: null };

/** Returns the file's id, and the key of the other files' headings. */
export async function addColumns(service: TestService, organisationId: string): Promise<{ fileId: string; headings: string }> {
  const folder = await mkdtemp(join(tmpdir(), "waybill-test-columns-"));
  try {
    const path = join(folder, "file");
    await writeFile(path, [columns, ...rows].map((cells) => cells.map((cell) => `"${cell}"`).join(",")).join("\n"));
    const file = { path, name: "despatches 23 April.csv", format: "csv", size: 400, sha256: "0".repeat(64) } as const;
    const values = columns.map((_, index) => rows.map((cells) => cells[index] ?? "").filter((value) => value !== ""));
    const kept = {
      organisationId,
      kind: "shipments",
      sourceDetails: file.name,
      file,
      columns,
      evidence: { values, numbers: values },
      notes: [],
      checked: { take: "" },
    } as const;
    const fileId = await keepFile(service.deps, kept);
    const choice = { headings: chosenHeadings, dateOrder: "dayFirst" } as const;
    const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;
    await rememberColumns(service.portal.organisations, { organisationId, kind: "activities", choice }, origin);
    return { fileId, headings: headingsKey(Object.keys(chosenHeadings)) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
