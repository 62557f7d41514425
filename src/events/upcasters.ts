// Converts old versions of events to the current one. An event type's list has one step per older version: the first converts version 1
// to 2, and so on. An event type without a list has only version 1.
import { principalOf } from "../domain/principal.js";
import type { EventMetadata } from "../ports/eventStore.js";
import type { EventType } from "./registry.js";

type Data = Record<string, unknown>;
export type Upcaster = (data: Data, metadata: EventMetadata) => Data;
export type Upcasters = { readonly [T in EventType]?: readonly Upcaster[] };

/** Older events name the key by its prefix only, so the prefix becomes the principal's id. */
const byKeyPrefix: Upcaster = ({ keyPrefix, ...data }) => ({ ...data, by: { kind: "key", id: keyPrefix } });
const byText: Upcaster = (data) => ({ ...data, by: principalOf(String(data["by"])) });
const byActor: Upcaster = (data, { actor }) => ({ ...data, by: principalOf(actor) });
const byWorker: Upcaster = ({ worker, ...data }) => ({ ...data, by: { kind: "worker", id: worker } });
/** The shape stays: only what `at` means has changed (`timedByLog` of codec.ts). */
const sameShape: Upcaster = (data) => data;

export const upcasters: Upcasters = {
  ImportRequested: [byKeyPrefix],
  ImportStarted: [byWorker],
  ImportCompleted: [byActor, sameShape],
  ImportFailed: [byActor],
  ImportCancelled: [byText],
  CatalogueApplied: [byText],
  ApiKeyCreated: [byActor],
  ApiKeyRevoked: [byText],
  QuoteGenerated: [byKeyPrefix],
  LocalitiesImported: [byActor],
  RowsReversed: [sameShape],
};

export const versionOf = (type: EventType, steps: Upcasters = upcasters): number => (steps[type]?.length ?? 0) + 1;

export const upcast = (type: EventType, version: number, data: unknown, metadata: EventMetadata, steps: Upcasters = upcasters): unknown =>
  (steps[type] ?? []).slice(version - 1).reduce((old, step) => step(old as Data, metadata), data);
