import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useCommandLine } from "../support/commandLine.js";
import { waybill } from "../support/processes.js";
import { type CommandStage, startCommandStage } from "./stage.js";

let stage: CommandStage;
let folder: string;
let environment: CommandStage["environment"];
const command = useCommandLine();
const run = (...args: string[]) => command(args, environment);
const members = (name: string, ...args: string[]) => run("members", name, "--org", "acme", ...args);

beforeAll(async () => {
  stage = await startCommandStage();
  ({ folder, environment } = stage);
  environment = { ...environment, PUBLIC_URL: "https://waybill.example.com/freight" };
  const path = join(folder, "acme.json");
  await writeFile(path, JSON.stringify({ organisation: { id: "acme", name: "Acme", cubicFactor: 250, timezone: "UTC" } }));
  expect(await run("org", "apply", path)).toMatchObject({ code: 0 });
});
afterAll(() => stage?.close());

const link = /^https:\/\/waybill\.example\.com\/freight\/portal\/join\/[\w-]{43}\n$/;

test("members are invited, listed, given links and roles, removed and erased", async () => {
  const invitation = ["--org", "acme", "--email", "ada@example.com", "--role", "admin", "--name", "Ada"];
  const invited = await waybill(["members", "invite", ...invitation], environment); // in its own process; the other commands of this file share one
  expect(invited).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(link) });
  expect(await members("invite", "--email", "bob@example.com", "--role", "viewer")).toMatchObject({ code: 0 });
  const another = await members("link", "ADA@example.com");
  expect(another).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(link) });
  expect(another.stdout).not.toBe(invited.stdout);
  expect(await members("role", "bob@example.com", "--role", "operator")).toMatchObject({
    code: 0,
    stdout: "bob@example.com is operator now\n",
  });
  const listed = JSON.parse((await members("list", "--json")).stdout);
  expect(listed).toMatchObject([
    { email: "ada@example.com", name: "Ada", role: "admin", status: "invited" },
    { email: "bob@example.com", name: null, role: "operator", status: "invited" },
  ]);
  expect(JSON.stringify(listed)).not.toMatch(/sha256|hash/i);
  expect(await members("remove", "bob@example.com")).toMatchObject({ code: 0, stdout: "bob@example.com removed\n" });
  expect((await members("list")).stdout).toMatch(/bob@example\.com +- +operator +removed/);
  expect(await members("erase", "bob@example.com")).toMatchObject({ code: 0 });
  expect((await members("list")).stdout).not.toContain("bob@example.com");
  const { folder: events } = stage.eventStore;
  if (events === undefined) return; // a real server keeps the bytes until its next scavenge
  const kept = async () => Promise.all((await readdir(events)).map((name) => readFile(join(events, name), "latin1")));
  expect((await kept()).join()).toContain("bob@example.com");
  await stage.eventStore.restart();
  expect((await kept()).join()).not.toContain("bob@example.com");
  expect((await members("list")).stdout).toContain("ada@example.com");
});

const refused: [string[], string][] = [
  [["invite", "--email", "ada@example.com", "--role", "viewer"], "already invited"],
  [["invite", "--email", "ada", "--role", "viewer"], "e-mail address"],
  [["invite", "--email", "eve@example.com", "--role", "king"], "admin, operator, viewer"],
  [["remove", "ada@example.com"], "last admin"],
  [["link", "nobody@example.com"], "no such member"],
];
test.each(refused)("%j is one line on stderr", async ([name = "", ...args], words) => {
  const { code, stdout, stderr } = await members(name, ...args);
  expect({ code, stdout, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 1, stdout: "", lines: 1 });
  expect(stderr).toContain(words);
});
