import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoOrganisation } from "../../src/demo/demoOrganisation.js";
import { useCommandLine } from "../support/commandLine.js";
import { type CommandStage, startCommandStage } from "./stage.js";

let stage: CommandStage;
const command = useCommandLine();
const card = demoOrganisation.rateCards?.[0];
const lanes = (work: "export" | "import", name: string, id = card?.id ?? "", org = "demo") =>
  command(["org", "lanes", work, join(stage.folder, name), "--org", org, "--card", id], stage.environment);

beforeAll(async () => {
  stage = await startCommandStage();
  const file = join(stage.folder, "demo.json");
  await writeFile(file, JSON.stringify(demoOrganisation));
  expect(await command(["org", "apply", file], stage.environment)).toMatchObject({ code: 0 });
});
afterAll(() => stage?.close());

const versionNow = async () =>
  (JSON.parse((await command(["org", "list", "--json"], stage.environment)).stdout) as { catalogueVersion: number }[])[0]?.catalogueVersion;

test.each(["lanes.csv", "lanes.xlsx"])("what is exported to %s changes nothing when it is imported", async (name) => {
  const version = await versionNow();
  expect(await lanes("export", name)).toMatchObject({ code: 0, stderr: "" });
  const imported = await lanes("import", name);
  expect(imported).toEqual({ code: 0, stdout: `demo version ${version}, nothing changed\n`, stderr: "" });
});

test("a price that is changed in the file is changed in the card, and said in words", async () => {
  await lanes("export", "changed.csv");
  const path = join(stage.folder, "changed.csv");
  const [columns = "", first = "", ...rest] = (await readFile(path, "utf8")).replaceAll(`"`, "").split(/\r?\n/);
  expect(columns).toMatch(/^\uFEFF?from,to,basic,perKg,minimum,transitMin,transitMax,transitUnit(,fromKg1,perKg1)?/);
  const cells = first.split(",");
  const before = cells[3];
  cells[3] = "9.87";
  await writeFile(path, [columns, cells.join(","), ...rest].join("\n"));
  const version = Number(await versionNow());
  const { code, stdout } = await lanes("import", "changed.csv");
  expect(code).toBe(0);
  expect(stdout).toContain(`demo version ${version + 1}, 1 changed\n`);
  expect(stdout).toContain(`lane ${cells[0]} to ${cells[1]}: perKg ${before} -> 9.87`);
});

test("a faulty row names its line and what to write, and nothing is applied", async () => {
  const version = await versionNow();
  await writeFile(join(stage.folder, "faulty.csv"), "from,to,basic,perKg,minimum\nSYD,NOWHERE,1,1,1\nSYD,MEL,cheap,1,1\n");
  const { code, stdout, stderr } = await lanes("import", "faulty.csv");
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("Line 3: ");
  expect(stderr).toContain("basic");
  expect(await versionNow()).toBe(version);
});

test.each([
  ["an unknown card", "none", "demo", "There is no rate card none"],
  ["an unknown organisation", card?.id, "nobody", "There is no organisation nobody"],
])("%s is refused in a line", async (_, id, org, sentence) => {
  await lanes("export", "good.csv");
  for (const work of ["export", "import"] as const) {
    const { code, stderr } = await lanes(work, "good.csv", id, org);
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
  }
  const missing = await lanes("import", "missing.csv");
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("cannot be read")]);
});
