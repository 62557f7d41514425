// The names of principals, from the organisation's stream: events have ids, people read names.
import type { Principal } from "../domain/principal.js";
import { decodeOn } from "../events/codec.js";
import { streamOf } from "../events/streams.js";
import type { EventStore } from "../ports.js";

export type NameOf = (by: Principal) => string;

export async function namesOf(eventStore: EventStore, organisationId: string): Promise<NameOf> {
  const keys = new Map<string, string>();
  for await (const stored of eventStore.read(streamOf.organisation(organisationId))) {
    const event = decodeOn("organisation", stored);
    if (event?.type !== "ApiKeyCreated") continue;
    const { keyId, prefix, name } = event.data;
    const words = `key ${name} (${prefix}...)`;
    keys.set(keyId, words);
    keys.set(prefix, words); // older events name a key by its prefix
  }
  return ({ kind, id }) => {
    switch (kind) {
      case "key":
        return keys.get(id) ?? `key ${id}`;
      case "member":
        return "a removed member";
      case "cli":
        return "the command line";
      case "worker":
        return `worker ${id}`;
    }
  };
}
