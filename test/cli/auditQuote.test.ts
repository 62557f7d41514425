import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { waybill } from "../support/processes.js";
import { startTestService, type TestService } from "../support/service.js";

let service: TestService;
let environment: Record<string, string>;
let folder: string;
beforeAll(async () => {
  service = await startTestService();
  folder = await mkdtemp(join(tmpdir(), "waybill-test-cli-"));
  environment = {
    DATA_DIR: folder,
    DATABASE_URL: service.pool.options.connectionString ?? "",
    EVENTSTORE_URL: service.store.address,
    SIGNING_SECRET: "a secret of thirty-two characters",
  };
});
afterAll(async () => {
  await service?.close();
  await rm(folder, { recursive: true, force: true });
});

test("audit quote prints how a quote came about, and ends with 0 when it comes out again", async () => {
  const organisation = await service.organisation();
  const place = (postalCode: string) => ({ postalCode });
  const response = await organisation.post("/v1/org/quote/getQuote", {
    general: { customerIds: ["CUST-001"] },
    origin: place("2000"),
    destination: place("3000"),
    items: [{ quantity: 1, length: 0.1, width: 0.1, height: 0.1, weight: 180, type: "Carton\u001b[31m\ntotal" }],
  });
  const { results } = (await response.json()) as { results: { quoteId: string }[] };
  const quoteId = results[0]?.quoteId ?? "";
  const { code, stdout } = await waybill(["audit", "quote", quoteId], environment);
  expect(stdout).toContain(`quote ${quoteId} for CUST-001 of ${organisation.id}`);
  expect(stdout).toMatch(
    /75\.60 {2}180 kg at 0\.42\n +88\.10 {2}freight\n +19\.82 {2}fuel.*\n +10\.79 {2}GST.*\n +118\.71 {2}total, as it was answered/,
  );
  expect(stdout).toContain("Carton\\u001b[31m\\ntotal");
  expect(code).toBe(0);
});

test("audit quote of a quote that does not exist is one clear line", async () => {
  const { code, stdout, stderr } = await waybill(["audit", "quote", "nope"], environment);
  expect([code, stdout, stderr.trim().split("\n").at(-1)]).toEqual([1, "", "There is no quote nope."]);
});
