import { writeFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DescribedOperation, OpenApi } from "../../../../src/http/api/document/describeApi.js";
import { answerExample, exampleAnswers, fallbackExample } from "../../../../src/http/api/document/examples/examples.js";
import { routes } from "../../../../src/http/api/routes/list.js";
import { eventually } from "../../../support/eventually.js";
import { type Role, startProjector, startWorker } from "../../../support/roles.js";
import { startTestService, type TestService } from "../../../support/service.js";
import { demoKey, type Recorded, recordAnswers } from "./recordedAnswers.js";
import { type MadeIds, rememberIds, tryIt } from "./tryIt.js";

/** Then the file is written after this process has read it, and the next run compares. */
const isUpdating = process.env["UPDATE_EXAMPLES"] === "1";
const file = "src/http/api/document/examples/answers.json";

let service: TestService;
let roles: Role[];
let recorded: Recorded;

beforeAll(async () => {
  service = await startTestService();
  const worker = startWorker(service);
  roles = [worker, startProjector(service)];
  recorded = await recordAnswers(service, worker.stop);
  if (isUpdating) {
    await writeFile(file, `${JSON.stringify(unusual(recorded), null, 2)}\n`);
  }
});
afterAll(async () => {
  for (const role of roles ?? []) await role.stop();
  await service?.close();
});

test.skipIf(isUpdating)("the example answers of the API reference are what the service answers to the example requests", () => {
  const shown = mapped(recorded, (operationId, status) => answerExample(operationId, status, undefined)["example"]);
  expect(recorded).toEqual(shown);
});

test.skipIf(isUpdating)("only the answers that differ from the usual ones are kept in the file", () => {
  expect(exampleAnswers).toEqual(unusual(recorded));
});

type Change = (operationId: string, status: number, answer: unknown) => unknown;

function mapped(answers: Recorded, change: Change): Recorded {
  const ofOperation = (operationId: string, byStatus: Record<string, unknown>) =>
    Object.entries(byStatus).map(([status, answer]) => [status, change(operationId, Number(status), answer)]);
  return Object.fromEntries(Object.entries(answers).map(([id, byStatus]) => [id, Object.fromEntries(ofOperation(id, byStatus))]));
}

/** As the file keeps them: of errors the message, and nothing that is usual. JSON leaves out what is undefined. */
function unusual(answers: Recorded): Recorded {
  const kept = mapped(answers, (id, status, answer) => {
    const said = status < 400 ? answer : (answer as { message: unknown }).message;
    return isDeepStrictEqual(said, fallbackExample(id, status, undefined, answers)) ? undefined : said;
  });
  return JSON.parse(JSON.stringify(kept)) as Recorded;
}

test("every operation of the served document succeeds as it is shown, in the document's order, for a fresh demo organisation", async () => {
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): DescribedOperation => ({ method: method.toUpperCase(), path, operation })),
  );
  const ids: MadeIds = new Map();
  const caller = { url: service.url, key: await demoKey(service, "fresh-demo"), ids };
  let worker = startWorker(service);
  roles.push({ stop: () => worker.stop() });
  /** Only an unfinished import can be cancelled: stop the worker and push another one. */
  const cancel = async (described: DescribedOperation) => {
    await worker.stop();
    const push = operations.find(({ operation }) => operation.tags[0] === described.operation.tags[0] && operation.requestBody);
    const { importId = "" } = push ? (await tryIt(push, caller)).answer : {};
    const sent = await tryIt(described, { ...caller, ids: new Map([[`${described.operation.tags[0]} importId`, importId]]) });
    worker = startWorker(service);
    return sent;
  };
  const outcomes: [string, number][] = [];
  for (const described of operations) {
    const { operationId } = described.operation;
    const { status, answer } = await (operationId.startsWith("cancel") ? cancel(described) : tryIt(described, caller));
    outcomes.push([operationId, status]);
    rememberIds(ids, described, answer);
    if (status === 202) {
      const read = async () => (await fetch(`${service.url}${answer.statusUrl}`, { headers: { "x-api-key": caller.key } })).json();
      await eventually(async () => ((await read()) as { status: string }).status === "completed");
    }
  }
  const documented = operations.map(({ operation: { operationId, responses } }) => [
    ...[operationId, Number(Object.keys(responses).find((status) => status.startsWith("2")))],
  ]);
  expect(outcomes).toEqual(documented);
  expect(outcomes).toHaveLength(routes.length);
});
