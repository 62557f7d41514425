import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { openStage, type Stage } from "./stage.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

test("two workers share the deliveries: each goes once, an import's in order, never two of one import at the same time", async () => {
  const organisationId = await stage.newOrganisation();
  const open = new Map<string, number>();
  let overlaps = 0;
  let atOnce = 0;
  const receiver = await stage.receiver(organisationId, ({ data }, response) => {
    const { importId = "" } = data;
    open.set(importId, (open.get(importId) ?? 0) + 1);
    if ((open.get(importId) ?? 0) > 1) overlaps += 1;
    atOnce = Math.max(atOnce, [...open.values()].filter((count) => count > 0).length);
    setTimeout(() => {
      open.set(importId, (open.get(importId) ?? 0) - 1);
      response.end();
    }, 20);
    return true;
  });
  const posts = [0, 0];
  for (const n of [0, 1]) {
    stage.work({
      post_: {
        lookUp: async (host) => {
          posts[n] = (posts[n] ?? 0) + 1;
          return [host];
        },
      },
    });
  }
  const imports = 40;
  const told = [];
  for (let n = 0; n < imports; n += 1) told.push(await stage.record(organisationId));
  await eventually(() => receiver.got.length >= imports * 2, "everything", 60_000);
  const waiting = async () => (await stage.pool.query("select from webhook_deliveries where status = 'waiting'")).rowCount;
  await eventually(async () => (await waiting()) === 0, "everything settled");
  expect(receiver.got).toHaveLength(imports * 2);
  for (const { importId, events } of told) {
    const own = receiver.got.filter(({ data }) => data.importId === importId);
    expect(own.map(({ id }) => id)).toEqual([events[1]?.id, events.at(-1)?.id]);
  }
  expect(overlaps).toBe(0);
  expect(atOnce).toBeGreaterThan(1);
  expect(atOnce).toBeLessThanOrEqual(4);
  expect(Math.min(...posts)).toBeGreaterThan(0);
});
