import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { demoOrganisation } from "../../src/demo/demoOrganisation.js";
import { useCommandLine } from "../support/commandLine.js";
import { type CommandStage, startCommandStage } from "./stage.js";

let stage: CommandStage;
let folder: string;
let environment: CommandStage["environment"];
const command = useCommandLine();
const run = (...args: string[]) => command(["keys", ...args, "--org", "demo"], environment);
const create = (...options: string[]) => run("create", "--name", "web shop", ...options);
const listed = async (prefix: string) =>
  (JSON.parse((await run("list", "--json")).stdout) as { prefix: string }[]).find((key) => key.prefix === prefix);

beforeAll(async () => {
  stage = await startCommandStage();
  ({ folder, environment } = stage);
  const file = join(folder, "demo.json");
  await writeFile(file, JSON.stringify(demoOrganisation));
  expect(await command(["org", "apply", file], environment)).toMatchObject({ code: 0 });
});
afterAll(() => stage?.close());

const keyAlone = /^wb_live_[A-Za-z0-9]{36}\n$/;

test("a key is created with scopes and an end, and the list shows both and who created it", async () => {
  const created = await create("--scopes", "read, quotes", "--expires", "2999-03-31T00:00:00+11:00");
  expect(created).toEqual({ code: 0, stdout: expect.stringMatching(keyAlone), stderr: "" });
  const prefix = created.stdout.slice(0, 12);
  expect(await listed(prefix)).toMatchObject({
    scopes: ["quotes", "read"],
    expiresAt: "2999-03-30T13:00:00.000Z",
    ended: false,
    createdBy: { kind: "cli", id: "operator" },
  });
  expect((await run("list")).stdout).toMatch(
    new RegExp(`${prefix} +web shop +\\S+Z +- +- +2999-03-30T13:00:00.000Z +quotes,read +the command line +\\S+\n`),
  );
});

test("the latest end there is, is accepted", async () => {
  const prefix = (await create("--expires", "9999-12-31T23:59:59-12:00")).stdout.slice(0, 12);
  expect(await listed(prefix)).toMatchObject({ expiresAt: "9999-12-31T23:59:59.999Z" });
});

test("a key without scopes and end is listed with all scopes", async () => {
  const prefix = (await create()).stdout.slice(0, 12);
  expect(await listed(prefix)).toMatchObject({ scopes: ["quotes", "shipments", "activities", "read"], expiresAt: null });
});

test.each([
  ["an unknown scope", ["--scopes", "read,write"], "There is no scope write; a key has any of quotes, shipments, activities, read"],
  ["an empty list", ["--scopes", ""], "A key needs at least one scope: quotes, shipments, activities, read"],
  ["a list of commas", ["--scopes", ","], "A key needs at least one scope: quotes, shipments, activities, read"],
  ["a time in the past", ["--expires", "2020-01-01T00:00:00Z"], "A key cannot end in the past; give a later time"],
  ["a time without a zone", ["--expires", "2999-01-01T00:00:00"], "such as 2027-03-31T00:00:00Z"],
  ["a day", ["--expires", "2999-01-01"], "--expires must be a time with its zone"],
  ["a text that is no time", ["--expires", "soon"], "--expires must be a time with its zone"],
])("%s is refused with what to write", async (_, options, sentence) => {
  const { code, stdout, stderr } = await create(...options);
  expect({ code, stdout, lines: stderr.split("\n").length }).toEqual({ code: 1, stdout: "", lines: 2 });
  expect(stderr).toContain(sentence);
});

test("rotating prints the new key alone, and what happens to the old one beside it", async () => {
  const old = (await create("--scopes", "read")).stdout.slice(0, 12);
  const rotated = await run("rotate", old);
  expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(keyAlone) });
  const prefix = rotated.stdout.slice(0, 12);
  expect(rotated.stderr).toMatch(new RegExp(`^The old key ${old} works until \\S+Z\\. Deploy the new key; keys list shows .+\n$`));
  expect(await listed(prefix)).toMatchObject({ scopes: ["read"], replaced: { prefix: old, lastUsedAt: null } });
  const lines = (await run("list")).stdout.split("\n").filter((line) => line.startsWith(old) || line.startsWith(prefix));
  expect(lines.map((line) => line.slice(0, 12))).toEqual([old, prefix]);

  expect(await run("rotate", old)).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(`give the newer ${prefix}`) });
  const again = await run("rotate", prefix, "--keep", "0");
  expect(again.stderr).toBe(`The old key ${prefix} has ended.\nThe key before it, ${old}, has ended.\n`);
  expect(await listed(again.stdout.slice(0, 12))).not.toHaveProperty("replaced");
});

test("--keep takes whole hours from 0 to 168", async () => {
  const prefix = (await create()).stdout.slice(0, 12);
  for (const hours of ["169", "1.5", "-1", "", "a day"])
    expect(await run("rotate", prefix, `--keep=${hours}`)).toEqual({
      code: 1,
      stdout: "",
      stderr: "Choose a whole number of hours, from 0 to 168\n",
    });
  expect(await run("rotate", prefix, "--keep", "168")).toMatchObject({ code: 0 });
});

test("a revoked key is not rotated", async () => {
  const prefix = (await create()).stdout.slice(0, 12);
  await run("revoke", prefix);
  expect(await run("rotate", prefix)).toMatchObject({ code: 1, stderr: expect.stringContaining("is revoked and cannot be rotated") });
});
