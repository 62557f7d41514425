import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { exampleAnswers } from "../../../../src/http/api/document/examples/examples.js";
import { type Role, startProjector, startWorker } from "../../../support/roles.js";
import { startTestService, type TestService } from "../../../support/service.js";
import { type Recorded, recordAnswers } from "./recordedAnswers.js";

const file = "src/http/api/document/examples/answers.json";

let service: TestService;
let roles: Role[];
let recorded: Recorded;

beforeAll(async () => {
  service = await startTestService();
  const worker = startWorker(service);
  roles = [worker, startProjector(service)];
  recorded = await recordAnswers(service, worker.stop);
  if (process.env["UPDATE_EXAMPLES"] === "1") {
    await writeFile(file, `${JSON.stringify(recorded, null, 2)}\n`);
  }
});
afterAll(async () => {
  for (const role of roles ?? []) await role.stop();
  await service?.close();
});

test("the examples of the API reference are what the service answers to its example requests", () => {
  expect(recorded).toEqual(exampleAnswers);
});
