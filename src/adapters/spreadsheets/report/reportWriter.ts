import type { ReportWriter } from "../../../ports.js";

export async function createReportWriter(_path: string, _options: { columns: readonly string[] }): Promise<ReportWriter> {
  throw new Error("error reports cannot be written yet");
}
