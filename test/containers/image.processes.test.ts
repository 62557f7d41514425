// The image, as far as it can be tested without a container engine.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createMachine, until } from "../support/processes.js";
import { everyCase } from "../support/projects/everyCase.js";
import { copyStage, dockerfile, filesOf, isSent, readStages, root } from "./dockerfile.js";

const [build, image] = readStages();
const read = (file: string) => readFileSync(join(root, file), "utf8");

test("every source that the Dockerfile copies passes .dockerignore; history, data and packages of this machine do not", () => {
  const copies = [...build.copies, ...image.copies].filter(({ isBuilt }) => !isBuilt);
  const sources = copies.flatMap((copy) => copy.sources);
  expect(sources).toContain("drizzle");
  expect(sources.flatMap(filesOf).filter((file) => !isSent(file))).toEqual([]);
  expect([".git/config", ".waybill/signing-secret", "node_modules/pg/package.json", "test/places.test.ts"].filter(isSent)).toEqual([]);
});

test("both stages have the same Node, in a full version that the service runs on and that is not older than a developer's", () => {
  const [, node = ""] = /^node:(\d+\.\d+\.\d+)-bookworm-slim$/.exec(image.base) ?? [];
  const [major = 0, minor = 0] = node.split(".").map(Number);
  expect(build.base).toBe(image.base);
  const [, oldest, oldestMinor] = /^>=(\d+)\.(\d+)$/.exec(JSON.parse(read("package.json")).engines.node) ?? [];
  expect(major * 1_000 + minor).toBeGreaterThanOrEqual(Number(oldest) * 1_000 + Number(oldestMinor));
  expect(major).toBeGreaterThanOrEqual(Number(read(".nvmrc")));
});

test("the image has no link to a workspace that is not in it, and leaves no volume without a name", () => {
  const installs = dockerfile.match(/npm (ci|prune)[^&\n]*/g) ?? [];
  expect(installs).toHaveLength(2);
  expect(installs.filter((install) => !install.includes("--workspaces=false"))).toEqual([]);
  expect(dockerfile).not.toMatch(/^VOLUME/m);
});

const folder = (name: string) => {
  const made = mkdtempSync(join(tmpdir(), `waybill-test-${name}-`));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

/** A build from what the Dockerfile copies; outside of the project `long` the build that is here, since another takes long. */
async function buildStage(): Promise<string> {
  if (!everyCase) return root;
  const built = folder("build");
  copyStage(build, "", built);
  symlinkSync(join(root, "node_modules"), join(built, "node_modules"));
  await promisify(execFile)(process.execPath, ["scripts/build.mjs"], { cwd: built });
  return built;
}

test("what the Dockerfile copies is enough to build the service, and what the image holds is enough to run it", async () => {
  const app = folder("image");
  copyStage(image, await buildStage(), app);
  const machine = await createMachine({}, join(app, "dist/cli.js"));
  onTestFinished(machine.clear);
  const product = await machine.start(); // with migrations, or it is not ready
  const key = /wb_live_[A-Za-z0-9]{36}/.exec(product.stdout())?.[0] ?? "";
  const ask = async (path: string, body?: string | FormData, headers = {}) => {
    const response = await fetch(new URL(path, machine.url), {
      ...(body ? { method: "POST", body } : {}),
      headers: { ...headers, "x-api-key": key },
    });
    return { status: response.status, text: await response.text() };
  };
  const { text: page } = await ask("/portal/sign-in");
  const assets = [...page.matchAll(/(?:href|src)="(\/portal\/assets\/[^"]+)"/g)].map(([, path]) => path ?? "");
  expect(assets.length).toBeGreaterThan(1);
  const paths = ["/docs", "/docs/guide", "/docs/reference.css", "/docs/reference.js", "/openapi.json", ...assets];
  for (const path of paths) expect([path, (await ask(path)).status]).toEqual([path, 200]);

  const [, quoteRequest = ""] = /-d '(.*)'/.exec(product.stdout()) ?? [];
  const quote = await ask("/v1/org/quote/getQuote", quoteRequest, { "content-type": "application/json" }); // reads the localities
  expect(quote.status).toBe(200);
  const form = new FormData();
  form.set("file", new File(["warehouseCode,chargeCode,quantity,activityTimestamp\nSYD1,PICK,0,2026-01-02T03:04:05Z\n"], "activities.csv"));
  const { statusUrl } = JSON.parse((await ask("/v1/org/fulfilment/activities/file", form)).text);
  const status = async () => JSON.parse((await ask(statusUrl)).text);
  await until("the import is completed", async () => (await status()).status === "completed");
  expect((await ask((await status()).errorReportUrl)).status).toBe(200);
});
