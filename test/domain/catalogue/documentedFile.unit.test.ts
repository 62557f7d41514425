import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";

it("the organisation file in the documentation is a valid one", () => {
  const page = readFileSync(new URL("../../../docs/organisation-file.md", import.meta.url), "utf8");
  const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
  expect(parseOrganisationFile(JSON.parse(example))).toMatchObject({ ok: true });
});
