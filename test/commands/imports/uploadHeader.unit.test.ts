import { describe, expect, it } from "vitest";
import { spreadsheets } from "../../../src/adapters/spreadsheets/spreadsheets.js";
import { readUploadHeader } from "../../../src/commands/imports/acceptFile.js";
import { TooBusy } from "../../../src/portErrors.js";
import type { HeaderReader } from "../../../src/ports/spreadsheets.js";
import { withFile } from "../../adapters/spreadsheets/reading.js";
import { workbookParts } from "../../adapters/spreadsheets/workbook.js";
import { zip } from "../../adapters/spreadsheets/zip.js";

const here: Pick<HeaderReader, "readHeader"> = { readHeader: (_, { path, name }) => spreadsheets.readHeader(path, name) };
const read = (path: string, headerRows = here) => readUploadHeader({ headerRows, spreadsheets }, "org", { path, name: "rows.csv" });

describe("the header row of an upload", () => {
  it("for which no thread is free is answered with 'try again'", async () => {
    const busy: Pick<HeaderReader, "readHeader"> = { readHeader: () => Promise.reject(new TooBusy("no thread was free")) };
    await expect(read("/nowhere", busy)).rejects.toMatchObject({
      name: "TooBusy",
      message: "Too many uploads at the moment, try again shortly",
    });
  });

  it("that cannot be read is refused with the file's fault", async () => {
    const refused = withFile("\n\n", (path) => read(path));
    await expect(refused).rejects.toMatchObject({ name: "Rejection", message: "The file is empty: it has no header row." });
  });

  it("that cannot be read from the disk fails with the disk's error, not with a fault of the file", async () => {
    await expect(read("/nowhere")).rejects.toThrow("ENOENT");
  });

  it.each([
    ["CSV", "a,b\n1,2\n"],
    ["XLSX", zip(workbookParts({ rows: '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>' }))],
  ])("of a %s file is not read after the deadline, and the deadline's own error is thrown", async (_format, content) => {
    const late = AbortSignal.abort(new DOMException("too late", "TimeoutError"));
    await expect(withFile(content, (path) => spreadsheets.readHeader(path, "rows", late))).rejects.toBe(late.reason);
  });
});
