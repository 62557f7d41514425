// The client as its users get it: packed, installed from the tarball into an empty folder, run there and in a browser.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserTest, useBrowser } from "../support/browser/browser.js";
import { type Role, startProjector, startWorker } from "../support/roles.js";
import { startTestService, type TestOrganisation, type TestService } from "../support/service.js";

const run = promisify(execFile);
const source = "packages/client";
const csv = await readFile("test/fixtures/client/activities.csv", "utf8");

let folder: string;
/** The folder that the client is installed into; it has nothing else. */
let app: string;
let packed: { readonly filename: string; readonly files: readonly { readonly path: string }[] };
let service: TestService;
let organisation: TestOrganisation;
let roles: Role[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-packed-"));
  app = join(folder, "app");
  packed = await pack();
  await mkdir(app);
  await npm(app, "install", "--offline", "--no-audit", "--no-fund", join(folder, packed.filename));
  service = await startTestService();
  organisation = await service.organisation();
  roles = [startWorker(service), startProjector(service)];
});
afterAll(async () => {
  await Promise.all(roles.map((role) => role.stop()));
  await service?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const npm = async (cwd: string, ...args: string[]) => (await run("npm", args, { cwd })).stdout;

/** Builds and packs a copy of the package, since other tests may read the build in the repository meanwhile. */
async function pack(): Promise<typeof packed> {
  const clone = join(folder, "clone", source);
  await mkdir(clone, { recursive: true });
  for (const name of ["src", "package.json", "tsconfig.json", "README.md"])
    await cp(join(source, name), join(clone, name), { recursive: true });
  await cp("tsconfig.json", join(folder, "clone", "tsconfig.json"));
  await symlink(resolve("node_modules"), join(folder, "clone", "node_modules"));
  await symlink(resolve(source, "node_modules"), join(clone, "node_modules"));
  const said = await npm(clone, "pack", "--json", "--pack-destination", folder);
  return (JSON.parse(said.slice(said.indexOf("[\n"))) as [typeof packed])[0];
}

/** Runs a program in the folder that has the client installed. */
async function runInApp(program: string, ...args: string[]): Promise<string> {
  const file = join(app, "program.mjs");
  await writeFile(file, program);
  return (await run(process.execPath, ["--expose-gc", file, ...args], { cwd: app, env: { ...process.env, WAYBILL_KEY: organisation.key } }))
    .stdout;
}

test("the tarball has the built modules, their types and the README, and nothing else", async () => {
  const modules = (await readdir(join(source, "src"))).map((name) => basename(name, ".ts"));
  const expected = ["README.md", "package.json", ...modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`])];
  expect(packed.files.map(({ path }) => path).sort()).toEqual(expected.sort());
  expect((await readdir(join(app, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual(["@waybill"]);
});

test("the program in the client's README runs as it stands", async () => {
  const program = /```js\n([\s\S]*?)```/.exec(await readFile(join(app, "node_modules/@waybill/client/README.md"), "utf8"))?.[1] ?? "";
  const place = "2000,Sydney,3000,Melbourne,Carton,1";
  const columns = "shipmentId,originPostCode,originSuburb,destinationPostCode,destinationSuburb,itemType,itemQuantity";
  await writeFile(join(app, "orders.csv"), `${columns}\nSO-1,${place}\n,${place}\n`);
  const said = await runInApp(program.replace("https://waybill.example.net", service.url));
  expect(said).toBe("completed { received: 2, processed: 1, failed: 1 }\n3 No Shipment ID found\n");
});

const browser = useBrowser();

browserTest("in a browser a Blob is uploaded and waited for, and its rejected rows are read", async () => {
  const installed = join(app, "node_modules/@waybill/client");
  // The `browser` field says which files bundlers replace for browsers.
  const { browser: instead } = JSON.parse(await readFile(join(installed, "package.json"), "utf8")) as { browser: Record<string, string> };
  const got = await browser.inPage({ origin: service.url }, async ({ page, faults }) => {
    await page.route("**/client/*", async (route) => {
      const name = basename(new URL(route.request().url()).pathname);
      if (name === "page")
        return route.fulfill({ contentType: "text/html", body: "<!doctype html><title>client</title><link rel=icon href=data:,>" });
      return route.fulfill({
        contentType: "text/javascript",
        body: await readFile(join(installed, instead[`./dist/${name}`] ?? `dist/${name}`)),
      });
    });
    await page.goto("/client/page");
    const result: unknown = await page.evaluate(`(async () => {
      const { Waybill, NotFoundError } = await import("/client/index.js");
      const waybill = new Waybill({ baseUrl: location.origin, apiKey: ${JSON.stringify(organisation.key)} });
      const accepted = await waybill.activities.upload(new Blob([${JSON.stringify(csv)}]), { name: "browser.csv" });
      const { status, counts } = await waybill.imports.wait(accepted, { firstInterval: 20, longestInterval: 200 });
      const rejected = [];
      for await (const { row, error } of waybill.activities.imports.rejectedRows(accepted.importId, { limit: 1 })) rejected.push([row, error]);
      const path = await waybill.activities.upload("browser.csv").catch((error) => error.message);
      const unknown = await waybill.quotes.get("x").catch((error) => error instanceof NotFoundError);
      return { status, counts, rejected, path, unknown };
    })()`);
    expect(faults.filter((fault) => !fault.includes("404"))).toEqual([]);
    return result;
  });
  expect(got).toMatchObject({
    ...{ status: "completed", counts: { received: 3, processed: 1, failed: 2 } },
    rejected: [
      [3, "Valid quantity is required"],
      [4, "Valid quantity is required"],
    ],
    ...{ path: "A browser cannot open a path: give a File or a Blob", unknown: true },
  });
});

const upload = `
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Waybill } from "@waybill/client";

const [baseUrl, how] = process.argv.slice(2);
const waybill = new Waybill({ baseUrl, apiKey: process.env.WAYBILL_KEY });
const used = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
const before = used();
let most = before;
const timer = setInterval(() => {
  if (used() - before > 8 * 1024 * 1024) gc(); // only memory that is still in use counts, not garbage
  most = Math.max(most, used());
}, 5);
const bytes = how === "memory" ? await readFile("large.csv") : undefined;
const source = { path: () => "large.csv", stream: () => createReadStream("large.csv"), memory: () => new Blob([bytes]) }[how]();
await waybill.activities.upload(source, { name: "large.csv" });
clearInterval(timer);
console.log((most - before) / 1024 / 1024, bytes?.length ?? 0);
`;

test("a file of 50 MB is never in memory, from a path or from a stream", async () => {
  await Promise.all(roles.map((role) => role.stop())); // the million rows need not be imported
  const [header = "", row = ""] = csv.split("\n");
  const large = Buffer.alloc(50_000_000, `${row}\n`);
  large.write(`${header}\n`);
  await writeFile(join(app, "large.csv"), large);
  const mebibytes = async (how: string) => Number.parseFloat(await runInApp(upload, service.url, how));
  const [path, stream, memory] = [await mebibytes("path"), await mebibytes("stream"), await mebibytes("memory")];
  console.info(
    `most memory kept beyond the start, in MiB: path ${path.toFixed(1)}, stream ${stream.toFixed(1)}, a Blob of it all ${memory.toFixed(1)}`,
  );
  expect(memory).toBeGreaterThan(47); // the measurement does see a file that is held in memory
  expect(Math.max(path, stream)).toBeLessThan(16);
});
