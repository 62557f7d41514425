import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ping, webhookEventsByType } from "../../../src/domain/webhooks/types.js";
import { isEventOn } from "../../../src/events/registry.js";

test("docs/webhooks.md lists every type of webhook with its meaning, and no other", async () => {
  const page = await readFile(new URL("../../../docs/webhooks.md", import.meta.url), "utf8");
  const types = Object.entries(webhookEventsByType).map(([type, { meaning }]) => ({ type, meaning }));
  const listed = Array.from(page.matchAll(/^\| `([a-z.]+)` \| (.+) \|$/gm), ([, type, meaning]) => ({ type, meaning }));
  expect(listed).toEqual([...types, ping]);
});

test.each(Object.entries(webhookEventsByType))("%s tells of an event that stands on its stream", (_, { recorded, stream }) => {
  expect(isEventOn(stream, recorded)).toBe(true);
});
