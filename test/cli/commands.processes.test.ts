import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, open, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { demoOrganisation } from "../../src/demo/demoOrganisation.js";
import { useCommandLine } from "../support/commandLine.js";
import { freePort, program, waybill } from "../support/processes.js";
import { type CommandStage, startCommandStage } from "./stage.js";

let stage: CommandStage;
let folder: string;
let environment: CommandStage["environment"];
/** Runs the command in its own process; the other commands of this file share one. */
const runAlone = (...args: string[]) => waybill(args, environment);
const command = useCommandLine();
const run = (...args: string[]) => command(args, environment);
const file = async (name: string, content: unknown) => {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
};

beforeAll(async () => {
  stage = await startCommandStage();
  ({ folder, environment } = stage);
});
afterAll(() => stage?.close());

test("help is printed on stdout with exit code 0; a mistake is one line on stderr and exit code 1", async () => {
  const help = await runAlone("--help");
  expect(help).toMatchObject({ code: 0, stderr: "" });
  for (const word of ["start", "api", "worker", "projector", "eventstore", "org", "keys", "localities"])
    expect(help.stdout).toContain(`  ${word}`);
  expect((await run("keys", "create", "--help")).stdout).toContain("--org <id>");
  expect(await runAlone("kyes")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^error: unknown command 'kyes'[^\n]+\n?$/),
  });
  expect(await run("keys", "create", "--org", "demo")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^error: .+--name <name>[^\n]+\n?$/),
  });
});

test("a command whose output is closed early exits with 0 and prints no error", async () => {
  const child = spawn(process.execPath, [program, "org", "list"], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.destroy();
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += chunk));
  const [code] = await once(child, "close");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test.skipIf(!existsSync("/dev/full"))("a command whose output cannot be written exits with 1 and one line on stderr", async () => {
  for (const args of [["org", "list"], ["--help"]]) {
    const full = await open("/dev/full", "w");
    onTestFinished(() => full.close());
    const env = { ...process.env, ...environment };
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", full.fd, "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let stderr = "";
    child.stderr?.on("data", (chunk) => (stderr += chunk));
    const [code] = await once(child, "close");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^The output could not be written: no space left on device\.[^\n]+\n$/),
    });
  }
});

test("a faulty configuration stops a command, with all its faults and none of its secrets", async () => {
  const { code, stdout, stderr } = await command(["api"], { PORT: "x", LOG_LEVEL: "loud", DATABASE_URL: "postgres://user:hunter2@db/w" });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe(
    [
      "The configuration has 3 faults:",
      "  PORT must be a whole number from 1 to 65535",
      "  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent",
      "  SIGNING_SECRET is required with DATABASE_URL: at least 32 characters, the same for every process",
      "",
    ].join("\n"),
  );
});

test("an organisation is applied, applied again without effect, and changed", async () => {
  const path = await file("demo.json", demoOrganisation);
  const first = await runAlone("org", "apply", path);
  expect(first.stderr).toBe("");
  expect(first.stdout).toMatch(/^demo version 1, \d+ changed\n {2}Organisation demo created\n/);
  expect(await run("org", "apply", path)).toEqual({ code: 0, stdout: "demo version 1, nothing changed\n", stderr: "" });
  const renamed = { ...demoOrganisation, organisation: { ...demoOrganisation.organisation, name: "Demo Freight" } };
  expect((await run("org", "apply", await file("renamed.json", renamed))).stdout).toMatch(/^demo version 2, 1 changed\n/);
  expect((await run("org", "list")).stdout).toMatch(/^ID +NAME +TIME ZONE +CATALOGUE\ndemo +Demo Freight +Australia\/Sydney +2\n$/);
});

test("a faulty organisation file is refused whole, with every fault by its path", async () => {
  const faulty = {
    ...demoOrganisation,
    organisation: { ...demoOrganisation.organisation, colour: "red" },
    customers: [{ id: "", name: "x" }],
  };
  const { code, stdout, stderr } = await run("org", "apply", await file("faulty.json", faulty));
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("organisation.colour is not a recognised field");
  expect(stderr).toContain("customers.0.id");
  expect(await run("org", "apply", await file("text.json", "{"))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("is not JSON"),
  });
  expect(await run("org", "apply", join(folder, "none.json"))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("cannot be read"),
  });
});

test("a new key is the only output, is listed by its prefix, and can be revoked twice without an error", async () => {
  const created = await run("keys", "create", "--org", "demo", "--name", "warehouse");
  expect(created).toEqual({ code: 0, stdout: expect.stringMatching(/^wb_live_[A-Za-z0-9]{36}\n$/), stderr: "" });
  const prefix = created.stdout.slice(0, 12);
  const listed = await run("keys", "list", "--org", "demo", "--json");
  expect(JSON.parse(listed.stdout)).toEqual([expect.objectContaining({ prefix, name: "warehouse", revokedAt: null })]);
  expect(listed.stdout).not.toContain(created.stdout.trim());
  expect(await run("keys", "revoke", prefix, "--org", "demo")).toEqual({ code: 0, stdout: `${prefix} warehouse revoked\n`, stderr: "" });
  expect((await run("keys", "revoke", prefix, "--org", "demo")).code).toBe(0);
  expect((await run("keys", "list", "--org", "demo")).stdout).toMatch(new RegExp(`${prefix} +warehouse +\\S+Z +- +\\S+Z `));
});

test("a key's name cannot look like a line of the list", async () => {
  await run("keys", "create", "--org", "demo", "--name", "evil\u001b[31m\nwb_live_XXXX");
  const { stdout } = await run("keys", "list", "--org", "demo");
  expect(stdout).toMatch(/ evil\\u001b\[31m\\nwb_live_XXXX /);
  expect(stdout.trimEnd().split("\n")).toHaveLength(3);
});

test("an organisation, key or file that does not exist is reported in one line", async () => {
  const commands = [
    ["keys", "create", "--org", "nobody", "--name", "x"],
    ["keys", "list", "--org", "nobody"],
    ["keys", "revoke", "wb_live_XXXX", "--org", "demo"],
    ["keys", "revoke", "zzz", "--org", "demo"],
    ["org", "apply", folder],
    ["localities", "import", folder],
  ];
  for (const args of commands) {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout, lines: stderr.trimEnd().split("\n").length }).toEqual({ code: 1, stdout: "", lines: 1 });
    expect(stderr).not.toMatch(/E[A-Z]{4,}:/);
    expect(stderr).toContain(args.includes(folder) ? `${folder} ` : "organisation");
  }
});

test("a database that is down is reported in one line, without its password", async () => {
  const { code, stdout, stderr } = await command(["org", "list"], { ...environment, DATABASE_URL: "postgres://a:hunter2@127.0.0.1:1/w" });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^The database is not available: .*\n$/);
  expect(stderr).not.toContain("hunter2");
});

test("localities that replace bundled ones are loaded, with a warning", async () => {
  const path = await file("CA.txt", "CA\tM5H\tToronto\tOntario\tON\t\t\t\t\t43.65\t-79.38\t6\n");
  expect(await run("localities", "import", path)).toEqual({
    code: 0,
    stdout: "CA 1 place, loaded\n",
    stderr: "CA: the product's own places are no longer used, only those of this file\n",
  });
});

test("localities of another country are loaded from a GeoNames file, and the same file again is reported as loaded already", async () => {
  const path = await file("NZ.txt", "NZ\t6011\tTe Aro\tWellington\tWGN\t\t\t\t\t-41.29\t174.77\t4\n");
  expect(await run("localities", "import", path)).toEqual({ code: 0, stdout: "NZ 1 place, loaded\n", stderr: "" });
  expect(await run("localities", "import", path)).toEqual({ code: 0, stdout: "NZ 1 place, loaded already\n", stderr: "" });
  expect(await run("localities", "import", await file("bad.txt", "nothing\n"))).toMatchObject({ code: 1, stdout: "" });
});

/** The files that a role has loaded when it is ready, as V8 lists them. */
async function filesLoadedBy(role: string): Promise<string[]> {
  const lists = await mkdtemp(join(folder, "loaded-"));
  const listing = { ...environment, PORT: String(await freePort()), LOG_LEVEL: "info", NODE_V8_COVERAGE: lists };
  const ended = await waybill([role], listing, (child) => {
    onTestFinished(() => void child.kill("SIGKILL"));
    let log = "";
    child.stderr?.on("data", (chunk) => {
      log += chunk;
      if (log.includes('"msg":"ready"')) child.kill("SIGTERM");
    });
  });
  expect(ended).toMatchObject({ code: 0 });
  const [list = ""] = await readdir(lists);
  const { result } = JSON.parse(await readFile(join(lists, list), "utf8")) as { result: { url: string }[] };
  return result.map(({ url }) => url).filter((url) => url.startsWith("file:"));
}

test.each(["api", "worker"])("%s loads only the program and a few bundled files", async (role) => {
  const bundled = pathToFileURL(join(dirname(program), "bundle", "/")).href;
  const loaded = await filesLoadedBy(role);
  expect(loaded.filter((url) => !url.startsWith(bundled))).toEqual([pathToFileURL(program).href]);
  expect(loaded.length).toBeLessThan(150); // unbundled there are about a thousand
});
