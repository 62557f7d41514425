// An event of a later version of the service: the projector must not pass it by, since its rows would then be missing after an update.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { type EventType, type StreamKind, streamEvents } from "../../src/events/registry.js";
import { streamOf } from "../../src/events/streams.js";
import { versionOf } from "../../src/events/upcasters.js";
import { useBatches } from "./batchStage.js";

const { apply, places, rowsOf } = useBatches();
const kinds = (Object.keys(streamEvents) as StreamKind[]).filter((kind) => kind !== "log"); // no projection reads that one
const types = kinds.flatMap((kind) => (Object.keys(streamEvents[kind]) as EventType[]).map((type) => ({ kind, type })));

test.each(types)("a later version of $type on a stream of kind $kind stops the projector", async ({ kind, type }) => {
  const commit = BigInt(places(1)) * 100n;
  const later = {
    ...{ id: randomUUID(), type, stream: streamOf[kind](randomUUID()), revision: 0n, position: { commit, prepare: commit } },
    ...{
      data: {},
      metadata: { organisation: "demo", actor: "cli:x", $correlationId: "r", v: versionOf(type) + 1 },
      recordedAt: new Date(0),
    },
  };
  await expect(apply([later])).rejects.toThrow("update the service");
  expect(await rowsOf("checkpoints")).toEqual([]);
});
