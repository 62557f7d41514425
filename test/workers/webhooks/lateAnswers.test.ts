// Requests to webhook endpoints that are answered after the deadline, after the endpoint's removal or after the claim has run out.
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createPost } from "../../../src/adapters/webhooks/post.js";
import { removeWebhook } from "../../../src/commands/organisations/webhooks.js";
import type { PostWebhook } from "../../../src/ports/webhooks.js";
import { listDeliveries } from "../../../src/queries/organisations/webhooks.js";
import { deleteOldDeliveries } from "../../../src/workers/webhooks/runWebhooks.js";
import { eventually } from "../../support/eventually.js";
import { openStage, origin, type Stage } from "./stage.js";

let stage: Stage;
let organisationId: string;
beforeAll(async () => {
  stage = await openStage();
  organisationId = await stage.newOrganisation();
});
afterAll(() => stage?.close());

/** A receiver that answers the first request when it is told to, and the others at once. */
async function holding() {
  const held: ServerResponse[] = [];
  const receiver = await stage.receiver(organisationId, (_, response) => {
    if (receiver.got.length > 1) return false;
    held.push(response);
    return true;
  });
  return { receiver, answer: () => held[0]?.end("late") };
}

const statuses = async (endpointId: string) =>
  (await listDeliveries(organisationId, endpointId, { limit: 10 }, stage.pool))
    .map(({ type, status, attempts }) => `${type} ${status} ${attempts.length}`)
    .sort();

test("an answer after the deadline does not count: the event is sent again under the same id, and then the next event", async () => {
  const { receiver, answer } = await holding();
  const [impatient, patient] = [createPost({ deadlineMs: 300 }), createPost()];
  let late = 0; // requests that time out; on a busy machine some may do so before they arrive
  const post: PostWebhook = (request) => {
    if (receiver.got.length > 0) return patient(request);
    late += 1;
    return impatient(request);
  };
  onTestFinished(stage.work({ post }).stop);
  await stage.record(organisationId);
  const hurry = () =>
    stage.pool.query("update webhook_deliveries set due_at = now() where claim is null; update webhook_health set retry_at = null");
  const failed = async () => {
    const isOver = late > 0 && (await statuses(receiver.endpointId)).includes(`import.started waiting ${late}`);
    if (isOver && receiver.got.length === 0) await hurry();
    return isOver && receiver.got.length > 0;
  };
  await eventually(failed, "the deadline");
  answer();
  await hurry();
  await eventually(
    async () => (await statuses(receiver.endpointId)).join() === `import.completed delivered 1,import.started delivered ${late + 1}`,
    "both",
  );
  const [first, again, next] = receiver.got;
  expect(again?.id).toBe(first?.id);
  expect(next?.type).toBe("import.completed");
  expect(receiver.got).toHaveLength(3);
});

test("an endpoint is removed while a request is on its way: the answer to the request is recorded, and the next event is not sent", async () => {
  const { receiver, answer } = await holding();
  const { endpointId } = receiver;
  onTestFinished(stage.work().stop);
  await stage.record(organisationId);
  await eventually(() => receiver.got.length === 1, "the request");
  await eventually(async () => (await statuses(endpointId)).length === 2, "the next event, to be told");
  await removeWebhook(stage.deps, { organisationId, endpointId }, origin);
  await deleteOldDeliveries(stage.pool);
  expect(await statuses(endpointId)).toEqual(["import.completed dropped 0", "import.started waiting 0"]);
  answer();
  await eventually(
    async () => (await statuses(endpointId)).join() === "import.completed dropped 0,import.started delivered 1",
    "its answer",
  );
  expect(receiver.got).toHaveLength(1);
});

test("a worker whose claim has run out while its request is on its way renews the claim, and does not send a second one beside it", async () => {
  const { receiver, answer } = await holding();
  onTestFinished(stage.work().stop);
  await stage.record(organisationId);
  await eventually(() => receiver.got.length === 1, "the request");
  const { rows } = await stage.pool.query<{ id: string }>(
    "update webhook_deliveries set due_at = now() where endpoint_id = $1 and claim is not null returning id",
    [receiver.endpointId],
  );
  const renewed = "select from webhook_deliveries where id = $1 and claim is not null and due_at > now()";
  await eventually(async () => (await stage.pool.query(renewed, [rows[0]?.id])).rowCount === 1, "the claim, renewed");
  answer();
  await eventually(
    async () => (await statuses(receiver.endpointId)).join() === "import.completed delivered 1,import.started delivered 1",
    "both",
  );
  expect(receiver.got).toHaveLength(2);
});
