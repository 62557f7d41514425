import { v5 } from "uuid";
import { limits } from "../../domain/imports/limits.js";
import { decodeOn } from "../../events/codec.js";
import type { ImportRequested } from "../../events/importEvents.js";
import { streamOf } from "../../events/streams.js";
import type { EventStore } from "../../ports/eventStore.js";

const namespace = "6f0f6c36-2c0e-4f0a-9d36-0b7c1c1f2a11";

export interface KeyUse {
  readonly organisationId: string;
  readonly idempotencyKey: string;
  readonly now: Date;
}

/** The import's id follows from the Idempotency-Key, so that the import's own stream is the record of the key's use. */
export async function importOfKey(
  eventStore: EventStore,
  { organisationId, idempotencyKey, now }: KeyUse,
): Promise<{ importId: string; earlier: ImportRequested | undefined }> {
  const oldest = now.getTime() - limits.idempotencyHours * 3_600_000;
  for (let generation = 0; ; generation += 1) {
    const importId = v5(JSON.stringify([organisationId, idempotencyKey, generation]), namespace);
    const earlier = await firstRequest(eventStore, importId);
    if (!earlier || Date.parse(earlier.at) > oldest) return { importId, earlier };
  }
}

export async function firstRequest(eventStore: EventStore, importId: string): Promise<ImportRequested | undefined> {
  for await (const stored of eventStore.read(streamOf.import(importId), { max: 1 })) {
    const event = decodeOn("import", stored);
    if (event?.type === "ImportRequested") return event.data;
  }
  return undefined;
}
