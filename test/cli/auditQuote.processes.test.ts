import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyOrganisation } from "../../src/commands/organisations/organisation.js";
import { organisationFile as fileShape } from "../../src/domain/catalogue/schema.js";
import { useCommandLine } from "../support/commandLine.js";
import { oldQuote, recordOldQuote } from "../support/oldQuote.js";
import { organisationFile } from "../support/organisationFile.js";
import { waybill } from "../support/processes.js";
import { organisationDeps, startTestService, type TestService } from "../support/service.js";

let service: TestService;
let environment: Record<string, string>;
let folder: string;
const command = useCommandLine();
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

test("audit quote prints how a quote's price is made up, and exits with 0 when computing it again gives the same", async () => {
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
  expect(quoteId).toMatch(/-1$/);
  // Prices have risen since: a quote is explained by the catalogue it was priced with.
  const dearer = fileShape.parse(organisationFile(organisation.id));
  for (const lane of dearer.rateCards[0]?.lanes ?? []) lane.perKg = 0.99;
  const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;
  await applyOrganisation(organisationDeps(service.pool, service.eventStore), dearer, origin);
  const { code, stdout } = await waybill(["audit", "quote", quoteId], environment);
  expect(stdout).toContain(`quote ${quoteId} for CUST-001 of ${organisation.id}`);
  expect(stdout).toMatch(
    /75\.60 {2}180 kg at 0\.42\n +88\.10 {2}freight\n +19\.82 {2}fuel.*\n +10\.79 {2}GST.*\n +118\.71 {2}total, as it was answered/,
  );
  expect(stdout).toContain("by catalogue version 1 for key test (wb_live_");
  expect(stdout).toContain("Carton\\u001b[31m\\ntotal");
  expect(code).toBe(0);
});

test("audit quote explains a quote of an earlier version; for one that computes differently it exits with 1 and says what differs", async () => {
  const { id: organisationId } = await service.organisation();
  const file = fileShape.parse(organisationFile(organisationId));
  const sound = await recordOldQuote(service.eventStore, oldQuote({ organisationId, file }));
  const right = await command(["audit", "quote", sound.quoteId], environment);
  expect(right.stdout).toContain("118.71  total, as it was answered");
  expect(right.code).toBe(0);
  const cheaper = fileShape.parse(organisationFile(organisationId));
  for (const card of cheaper.rateCards) card.fuelLevyPercent = 22;
  const wrong = await recordOldQuote(service.eventStore, oldQuote({ organisationId, file: cheaper }));
  const { code, stdout, stderr } = await command(["audit", "quote", wrong.quoteId], environment);
  expect(stdout).toContain("118.71  total, which is NOT as it was recorded");
  expect(stdout).toMatch(/DIFFERS: fuel was recorded as 19\.38 and is now computed as 19\.82/);
  expect([code, stderr.trim().split("\n").at(-1)]).toEqual([1, "The quote is not computed now as it was recorded"]);
});

test("audit quote of a quote that does not exist ends with one clear line", async () => {
  const { code, stdout, stderr } = await command(["audit", "quote", "nope"], environment);
  expect([code, stdout, stderr.trim().split("\n").at(-1)]).toEqual([1, "", "There is no quote nope"]);
});
