import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resendDelivery } from "../../../src/commands/webhooks/deliveries.js";
import { listDeliveries } from "../../../src/queries/organisations/webhooks.js";
import { eventually } from "../../support/eventually.js";
import { freePort } from "../../support/processes.js";
import { openStage, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

test("the receiver in docs/webhooks.md refuses an unsigned request, and handles a repeated delivery once", async () => {
  const page = await readFile(new URL("../../../docs/webhooks.md", import.meta.url), "utf8");
  const program = /```js\n(.*?)```/s.exec(page)?.[1] ?? "";
  expect(program.trim().split("\n").length).toBeLessThanOrEqual(20);
  const organisationId = await stage.newOrganisation();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const { endpointId, secret } = await stage.add(organisationId, url);
  const env = { PATH: process.env["PATH"] ?? "", PORT: String(port), WEBHOOK_SECRET: secret };
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], { env, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  try {
    await eventually(
      () =>
        fetch(url).then(
          ({ status }) => status === 401,
          () => false,
        ),
      "the receiver",
    );
    stage.work();
    const { importId } = await stage.record(organisationId);
    const deliveries = () => listDeliveries(organisationId, endpointId, { limit: 10 }, stage.pool);
    await eventually(async () => (await deliveries()).filter(({ status }) => status === "delivered").length === 2, "both delivered");
    const [newest] = await deliveries();
    await resendDelivery(stage.pool, { organisationId, endpointId }, newest?.deliveryId ?? "");
    await eventually(async () => (await deliveries())[0]?.attempts.length === 2, "the repetition");
    await eventually(() => printed.split("\n").length > 2, "what it prints");
    const lines = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ type, data }) => [type, data.importId])).toEqual([
      ["import.started", importId],
      ["import.completed", importId],
    ]);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});
