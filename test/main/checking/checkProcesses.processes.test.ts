// Bounds on the processes that check files. The file is a named pipe without a writer, so that its check does not end.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseOrganisationFile } from "../../../src/domain/catalogue/organisationFile.js";
import { type CheckProcessesOptions, createCheckProcesses } from "../../../src/main/checking/checkProcesses.js";
import { organisationFile } from "../../support/organisationFile.js";
import { kill, until } from "../../support/processes.js";

let folder: string;
let pipe: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-checks-"));
  pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const parsed = parseOrganisationFile(organisationFile("org"));
if (!parsed.ok) throw new Error(parsed.faults.join());
const catalogue = parsed.file;

const never = async () => Promise.reject(new Error("not asked for here"));
const answers = {
  ...{ shipments: never, codes: never, quantityLimits: never, knownCodes: never },
  ...{ lastActivities: never, hashes: never, hashedRows: never },
};

const open = (options: Partial<CheckProcessesOptions>) => createCheckProcesses({ localities: async () => ({}), ...options });

function begin(checks: ReturnType<typeof open>, organisationId: string) {
  const leaving = new AbortController();
  const file = { path: pipe, name: "a.csv", format: "csv" } as const;
  const watch = { signal: leaving.signal, progress: () => undefined, answers };
  const ended = checks.run({ organisationId, file, wantsEvidence: false, judge: { kind: "activities", folder, catalogue } }, watch);
  const leave = () => leaving.abort(new Error("left"));
  onTestFinished(async () => {
    leave();
    await ended.catch(() => undefined);
  });
  ended.catch(() => undefined);
  return { ended, leave };
}

/** The pids of a process's children that check a file. */
async function running(parent = process.pid): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const [status, command] = await Promise.all(
      ["status", "cmdline"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8").catch(() => "")),
    );
    if (status?.includes(`PPid:\t${parent}\n`) && command?.includes("checkProcess.js")) found.push(pid);
  }
  return found;
}

describe("the processes that check files", () => {
  test("are limited in all and for each organisation; a waiting check runs when another one ends", async () => {
    const checks = open({ processes: 2 });
    const [one, another] = [begin(checks, "a"), begin(checks, "a")];
    await until("one of an organisation runs", async () => (await running()).length === 1);
    const [other, third] = [begin(checks, "b"), begin(checks, "c")];
    await until("two run in all", async () => (await running()).length === 2);
    third.leave();
    await expect(third.ended).rejects.toThrow("left");
    one.leave();
    await expect(one.ended).rejects.toThrow("left");
    await until("the next one runs", async () => (await running()).length === 2);
    for (const { leave, ended } of [another, other]) {
      leave();
      await expect(ended).rejects.toThrow("left");
    }
    expect(await running()).toEqual([]);
  });

  test("of slow files do not keep a third organisation waiting: the one that has run longest gives way, and no other", async () => {
    const checks = open({ processes: 2, yieldAfterMs: 0 });
    const [one, other] = [begin(checks, "a"), begin(checks, "b")];
    await until("two run", async () => (await running()).length === 2);
    const before = await running();
    begin(checks, "b"); // waits for its own organisation's, which therefore need not end
    const third = begin(checks, "c");
    await expect(one.ended).rejects.toThrow("The check was ended because other files wait to be checked");
    await until("the third runs", async () => (await running()).length === 2);
    expect((await running()).filter((pid) => before.includes(pid))).toHaveLength(1);
    third.leave();
    await expect(third.ended).rejects.toThrow("left");
    other.leave();
    await expect(other.ended).rejects.toThrow("left");
  });

  test("end at their deadline, and a check that waits too long for a process fails as TooBusy", async () => {
    const checks = open({ processes: 1, runMs: 1_500, waitMs: 300 });
    const [first, second] = [begin(checks, "a"), begin(checks, "b")];
    await expect(second.ended).rejects.toMatchObject({ name: "TooBusy" });
    await expect(first.ended).rejects.toMatchObject({ name: "Rejection", message: expect.stringMatching(/^The check took longer than/) });
    expect(await running()).toEqual([]);
  });

  test("read the dates of a file, of which all rows count, and end at their deadline too", async () => {
    const path = join(folder, "dates.csv");
    await writeFile(path, `Day,Note\n${"04/03/2026,x\n".repeat(50_000)}05/31/2026,x\n`);
    const watch = { signal: new AbortController().signal, progress: () => undefined, answers };
    const read = (checks: ReturnType<typeof open>, at: string) =>
      checks.run({ organisationId: "a", file: { path: at, name: "a.csv", format: "csv" }, wantsEvidence: true }, watch);
    const evidence = { values: [["04/03/2026", "05/31/2026"], []], numbers: [[], []] };
    expect(await read(open({}), path)).toEqual({ evidence });
    await expect(read(open({ runMs: 0 }), pipe)).rejects.toThrow("was ended. Split the file, or try again later.");
  });

  test("end when the process that started them is killed", async () => {
    const file = join(folder, "rows.csv");
    const header = "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType";
    await writeFile(file, `${header}\nS,2000,Sydney,3000,Melbourne,Box\n`);
    const asked = JSON.stringify({
      ...{ organisationId: "a", wantsEvidence: false, judge: { kind: "shipments", folder, catalogue } },
      file: { path: file, name: "rows.csv", format: "csv" },
    });
    const built = new URL("../../../dist/main/checking/checkProcesses.js", import.meta.url).href;
    const parent = spawn(process.execPath, [
      ...["--input-type=module", "-e"],
      `import { createCheckProcesses } from ${JSON.stringify(built)};
       const shipments = () => new Promise(() => process.stdout.write("asked")); // and never answers, so that the check does not end
       const watch = { signal: new AbortController().signal, progress: () => undefined, answers: { shipments } };
       await createCheckProcesses({ localities: async () => ({}) }).run(${asked}, watch);`,
    ]);
    const isThere = (pid: string) =>
      readFile(`/proc/${pid}/cmdline`, "utf8").then(
        (text) => text.includes("checkProcess.js"),
        () => false,
      );
    let children: string[] = [];
    onTestFinished(async () => {
      parent.kill("SIGKILL");
      for (const pid of children) if (await isThere(pid)) kill(Number(pid), "SIGKILL");
    });
    await once(parent.stdout, "data");
    children = await running(parent.pid);
    expect(children).toHaveLength(1);
    parent.kill("SIGKILL");
    await until("the check is gone", async () => !(await isThere(children[0] ?? "")));
  });

  test("a member has one check at a time", () => {
    const checks = open({});
    const leave = checks.enter("m");
    expect(() => checks.enter("m")).toThrow("A check of yours is still running");
    checks.enter("another");
    leave();
    checks.enter("m");
  });
});
