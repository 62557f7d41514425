import { describe, expect, it } from "vitest";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";
import { readUploadHeader } from "../../../src/http/pushes/readUploadHeader.js";
import { withFile } from "../../adapters/spreadsheets/reading.js";
import { workbookParts } from "../../adapters/spreadsheets/workbook.js";
import { zip } from "../../adapters/spreadsheets/zip.js";

const file = { path: "/nowhere", name: "rows.xlsx" };
const neverDone = (_path: string, _name: string, signal?: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });

describe("the header row of an upload", () => {
  it("that takes too long is the caller's to mend, and says how", async () => {
    await expect(readUploadHeader({ ...spreadsheets, readHeader: neverDone }, file, 0.02)).rejects.toMatchObject({
      name: "Rejection",
      code: "invalid",
      message: "The header row could not be read within 0.02 seconds. Upload the file again; if it is a workbook, save it as .csv first.",
    });
  });

  it("that cannot be read is refused with the file's fault", async () => {
    const refused = withFile("\n\n", (path) => readUploadHeader(spreadsheets, { path, name: "rows.csv" }));
    await expect(refused).rejects.toMatchObject({ name: "Rejection", message: "The file is empty: it has no header row." });
  });

  it("that fails for a reason of our own is not blamed on the file", async () => {
    await expect(readUploadHeader(spreadsheets, file)).rejects.toThrow("ENOENT");
  });

  it.each([
    ["CSV", "a,b\n1,2\n"],
    ["XLSX", zip(workbookParts({ rows: '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>' }))],
  ])("of a %s file stops with the deadline's own error", async (_format, content) => {
    const late = AbortSignal.abort(new DOMException("too late", "TimeoutError"));
    await expect(withFile(content, (path) => spreadsheets.readHeader(path, "rows", late))).rejects.toBe(late.reason);
  });
});
