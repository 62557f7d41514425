// The queue of imports: its length, the answers when it is full, and the list of imports before a projector has seen them.
import { randomUUID } from "node:crypto";
import { watch } from "node:fs";
import { pino } from "pino";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runProjector } from "../../../../src/projections/running/runProjector.js";
import { activitiesPath, activity, activityCsv, csv, item, shipment, shipmentsPath, usePushes } from "./stage.js";

const stage = usePushes();
const { fresh, queued } = stage;

describe("the queue", () => {
  it("accepts exactly as many pushes as its limit, under a burst at two API processes", async () => {
    await fresh();
    const other = await stage.service.startAnotherApi();
    /** On a busy machine a store may be late, and the answer is 503: with its key the push is sent again as the same push. */
    const pushTo = async (url: string) => {
      const key = { "idempotency-key": randomUUID() };
      const send = () => stage.org.post(`${url}${activitiesPath}`, { activities: [activity] }, key);
      let answer = await send();
      while (answer.status === 503) answer = await send();
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => pushTo(index % 2 ? other : stage.service.url)));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([...Array(5).fill(202), ...Array(35).fill(400)]);
    const refused = answers.find((answer) => answer.status === 400);
    expect(await refused?.json()).toMatchObject({
      statusCode: 400,
      message: expect.stringMatching(/^Too many imports are already queued/),
    });
    expect(await queued(stage.org.id)).toBe(5);
    const objects: string[] = [];
    for await (const { key } of stage.service.objectStore.list(`uploads/${stage.org.id}/`)) objects.push(key);
    expect(objects).toHaveLength(5);
  });
});

describe("a full queue", () => {
  const fill = async () => {
    const { rowCount } = await stage.service.pool.query(
      "insert into import_queue (import_id, organisation_id, position) select gen_random_uuid(), $1, -each from generate_series(1, 4) as each",
      [stage.org.id],
    );
    expect(rowCount).toBe(4);
  };
  const refusal = { statusCode: 400, error: "Bad Request", message: expect.stringMatching(/^Too many imports are already queued/) };

  it.each([
    [shipmentsPath, "application/json"],
    [activitiesPath, "application/json"],
    [`${shipmentsPath}/file`, "multipart/form-data; boundary=b"],
    [`${activitiesPath}/file`, "multipart/form-data; boundary=b"],
  ])("refuses a push to %s before its body has arrived", async (path, type) => {
    await fresh();
    await fill();
    expect((await stage.org.post(activitiesPath, { activities: [activity] })).status).toBe(202);
    for (const key of [{}, { "idempotency-key": "new" }]) {
      const body = new ReadableStream({ start: (sending) => sending.enqueue(Buffer.from(" ")) }); // and nothing after that
      const init = { method: "POST", headers: { "x-api-key": stage.org.key, "content-type": type, ...key }, body, duplex: "half" };
      const answer = await fetch(`${stage.service.url}${path}`, init as RequestInit);
      expect([answer.status, await answer.json()]).toEqual([400, refusal]);
    }
  });

  it("writes no temporary file and stores nothing for a refused push", async () => {
    await fresh();
    await fill();
    await stage.org.post(activitiesPath, { activities: [activity] });
    const put = vi.spyOn(stage.service.objectStore, "put");
    onTestFinished(() => put.mockRestore());
    const watcher = watch(stage.service.deps.tempDir);
    onTestFinished(() => watcher.close());
    const seen: unknown[] = [];
    watcher.on("change", (...change) => seen.push(change));
    const large = { shipments: Array.from({ length: 20 }, () => ({ ...shipment("x".repeat(200)), items: Array(500).fill(item) })) };
    for (let each = 0; each < 3; each += 1) expect((await stage.org.post(shipmentsPath, large)).status).toBe(400);
    expect((await stage.org.upload(`${activitiesPath}/file`, csv(activityCsv))).status).toBe(400);
    expect([put.mock.calls, seen]).toEqual([[], []]);
  });

  it("still gives a repeated push the first answer", async () => {
    await fresh();
    const key = { "idempotency-key": randomUUID() };
    const send = () =>
      Promise.all([
        stage.org.post(activitiesPath, { activities: [activity] }, key),
        stage.org.upload(`${activitiesPath}/file`, csv(activityCsv), {}, { "idempotency-key": "file" }),
      ]);
    const first = await send();
    await fill();
    const again = await send();
    expect(again.map(({ status }) => status)).toEqual([202, 202]);
    expect(await Promise.all(again.map((answer) => answer.json()))).toEqual(await Promise.all(first.map((answer) => answer.json())));
    expect((await stage.org.post(activitiesPath, { activities: [activity, activity] }, key)).status).toBe(422);
    expect((await stage.org.post(activitiesPath, { activities: [activity] })).status).toBe(400);
  });
});

describe("the list of imports", () => {
  interface Listed {
    items: { importId: string; status: string }[];
    nextCursor: string | null;
  }
  const pushed = async (answer: Promise<Response>) => ((await (await answer).json()) as { importId: string }).importId;
  const list = async (query: string) => (await (await stage.org.get(`/v1/org/fulfilment/imports?${query}`)).json()) as Listed;

  it("has imports that no projector has seen yet, in their order, and each once after they are projected", async () => {
    await fresh();
    const ids = [];
    for (let each = 0; each < 3; each += 1) ids.unshift(await pushed(stage.org.post(activitiesPath, { activities: [activity] })));
    await pushed(stage.org.post(shipmentsPath, { shipments: [shipment("A")] }));
    const inPages = async () => {
      const first = await list("limit=2");
      const second = await list(`limit=2&cursor=${first.nextCursor}`);
      expect(second.nextCursor).toBeNull();
      return [...first.items, ...second.items].map(({ importId, status }) => [importId, status]);
    };
    expect(await inPages()).toEqual(ids.map((id) => [id, "queued"]));
    const stop = new AbortController();
    const projecting = runProjector({ ...stage.service, logger: pino({ level: "silent" }), signal: stop.signal });
    try {
      const projected = async () =>
        (
          await stage.service.pool.query(
            "select from imports where organisation_id = $1 and position <= (select commit from checkpoints where projection = 'imports')",
            [stage.org.id],
          )
        ).rowCount;
      await expect.poll(() => projected()).toBe(4);
    } finally {
      stop.abort();
      await projecting;
    }
    expect(await inPages()).toEqual(ids.map((id) => [id, "queued"]));
  });
});
