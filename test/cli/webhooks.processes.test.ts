import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pauseWebhook } from "../../src/commands/organisations/webhooks.js";
import { listDeliveries, listWebhooks } from "../../src/queries/organisations/webhooks.js";
import { useCommandLine } from "../support/commandLine.js";
import { eventually } from "../support/eventually.js";
import { freePort, waybill } from "../support/processes.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { openStage, origin, type Stage } from "../workers/webhooks/stage.js";

let folder: string;
let stage: Stage;
let organisationId: string;
let receiver: Receiver;
const command = useCommandLine();
const run = (name: string, args: readonly string[], environment: Record<string, string> = {}, runner = command) =>
  runner(["webhooks", name, ...args, "--org", organisationId], { ...stage.environment, DATA_DIR: folder, ...environment });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waybill-test-webhooks-"));
  stage = await openStage();
  receiver = await startReceiver();
  organisationId = await stage.newOrganisation();
  stage.work();
});
afterAll(async () => {
  await stage?.close();
  await receiver?.close();
  await rm(folder, { recursive: true, force: true });
});

const secretAlone = /^whsec_[A-Za-z0-9+/]{43}=\n$/;

test("the command line adds, pings, pauses, resumes and removes an endpoint, rotates its secret and replays its events", async () => {
  // This command runs in its own process; the other commands of this file share one.
  const added = await run("add", ["--url", receiver.url, "--events", "import.completed, import.failed"], {}, waybill);
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(secretAlone) });
  expect(added.stderr).not.toContain(added.stdout.trim());
  receiver.secret = added.stdout.trim();
  const [endpoint] = JSON.parse((await run("list", ["--json"])).stdout);
  expect(endpoint).toMatchObject({
    url: receiver.url,
    events: ["import.completed", "import.failed"],
    pausedAt: null,
    failures: 0,
    waiting: 0,
  });
  const { endpointId } = endpoint;
  expect(added.stderr).toContain(endpointId);

  expect(await run("ping", [endpointId])).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(/^It answered 200 in \d+ ms\n$/),
  });
  const rotated = await run("rotate", [endpointId]);
  expect(rotated).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(secretAlone) });
  expect(rotated.stdout).not.toBe(added.stdout);
  receiver.secret = rotated.stdout.trim();

  const told = await stage.record(organisationId);
  await eventually(() => receiver.got.length === 2, "the completed import");
  const isDelivered = async (attempts: number) => {
    const [delivery] = await listDeliveries(organisationId, endpointId, { limit: 1 }, stage.pool);
    return delivery?.status === "delivered" && delivery.attempts.length === attempts;
  };
  await eventually(() => isDelivered(1), "its answer to be written down"); // otherwise the replay could include a delivery that is still on its way
  await pauseWebhook(stage.deps, { organisationId, endpointId }, origin, "No delivery has succeeded for three days.");
  expect((await run("list", [])).stdout).toMatch(new RegExp(`${endpointId} .* paused .*No delivery has succeeded for three days\\.`));
  expect(await run("resume", [endpointId])).toMatchObject({ code: 0, stdout: `${endpointId} resumed\n` });
  expect((await run("list", [])).stdout).toMatch(new RegExp(`${endpointId} .* active `));
  expect(await run("pause", [endpointId])).toMatchObject({ code: 0, stdout: `${endpointId} paused\n` });
  expect((await listWebhooks(organisationId, stage.pool))[0]?.pausedAt).toBeInstanceOf(Date);
  expect((await run("resume", [endpointId])).code).toBe(0);

  const replayed = await run("replay", [endpointId, "--from", "2020-01-01T00:00:00Z"]);
  expect(replayed).toMatchObject({ code: 0, stdout: "1 event since 2020-01-01T00:00:00.000Z is sent again\n" });
  await eventually(() => receiver.got.length === 3, "the replay");
  await eventually(() => isDelivered(2), "its answer to be written down");
  expect(receiver.got.map(({ type, id }) => [type, type === "ping" ? "" : id])).toEqual([
    ["ping", ""],
    ["import.completed", told.events.at(-1)?.id],
    ["import.completed", told.events.at(-1)?.id],
  ]);
  expect(receiver.forged).toEqual([]);
  const deliveries = JSON.parse((await run("deliveries", [endpointId, "--json", "--limit", "1"])).stdout);
  expect(deliveries).toMatchObject([{ type: "import.completed", importId: told.importId, eventId: told.events.at(-1)?.id }]);
  expect((await run("deliveries", [endpointId])).stdout).toMatch(new RegExp(`import\\.completed +${told.importId} +delivered +2 `));

  expect(await run("remove", [endpointId])).toMatchObject({ code: 0, stdout: `${endpointId} removed\n` });
  expect(JSON.parse((await run("list", ["--json"])).stdout)).toEqual([]);
});

test("a refused command prints one line on stderr and nothing on stdout, and exits with 1", async () => {
  const refusing = `http://127.0.0.1:${await freePort()}/`;
  const { endpointId } = await stage.add(organisationId, refusing);
  const id = randomUUID();
  const off = { WEBHOOK_PRIVATE: "off" };
  const cases: [string, string[], string, Record<string, string>?][] = [
    ["add", ["--url", "https://10.0.0.1/"], "10.0.0.1 is a private address", off],
    ["add", ["--url", "https://0x7f.1/"], "127.0.0.1 is a loopback address", off],
    ["add", ["--url", "http://erp.example.com/"], "must begin with https://", off],
    ["add", ["--url", "https://a:b@erp.example.com/"], "no user and no password"],
    ["add", ["--url", "https://erp.example.com/", "--events", "import.done"], "There is no event import.done; there are import.started"],
    ["rotate", [id], "There is no such endpoint"],
    ["remove", ["7"], "not the id of an endpoint"],
    ["replay", [endpointId, "--from", "yesterday"], "--from must be a time"],
    ["replay", [endpointId, "--from", "2026-02-30"], "--from must be a time"],
    ["deliveries", [id], "There is no such endpoint"],
    ["deliveries", [endpointId, "--limit", "1001"], "--limit must be a whole number from 1 to 1000"],
    ["ping", [id], "There is no such endpoint"],
    ["ping", [endpointId], "The ping failed: The connection was refused"],
  ];
  for (const [name, args, words, environment] of cases) {
    const { code, stdout, stderr } = await run(name, args, environment);
    const lines = stderr.trimEnd().split("\n").length;
    expect({ code, stdout, lines }, `${name} ${args.join(" ")}: ${stderr}`).toEqual({ code: 1, stdout: "", lines: 1 });
    expect(stderr).toContain(words);
  }
});

test("a 21st endpoint is refused, and the sentence says what to do", async () => {
  const full = await stage.newOrganisation();
  for (let n = 0; n < 20; n += 1) await stage.add(full, `${receiver.url}/${n}`);
  const args = ["webhooks", "add", "--url", receiver.url, "--org", full];
  expect(await command(args, { ...stage.environment, DATA_DIR: folder })).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("An organisation has at most 20 endpoints; remove one first"),
  });
  expect(await listWebhooks(full, stage.pool)).toHaveLength(20);
});
