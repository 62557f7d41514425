// The names of principals, from the streams of the organisation and of its members: events have ids, people read names.
import { type NameOf, nameBy, type Principal } from "../../domain/principal.js";
import { decodeOn } from "../../events/codec.js";
import { streamOf } from "../../events/streams.js";
import { StreamDeleted } from "../../portErrors.js";
import type { EventStore } from "../../ports/eventStore.js";

/** `members`: the members whose names are needed. Any other member is shown as "a removed member". */
export async function namesOf(eventStore: EventStore, organisationId: string, members: Iterable<Principal>): Promise<NameOf> {
  const keys = new Map<string, string>();
  const keyNames = new Map<string, string>();
  for await (const stored of eventStore.read(streamOf.organisation(organisationId))) {
    const event = decodeOn("organisation", stored);
    if (event?.type === "ApiKeyCreated") keyNames.set(event.data.keyId, event.data.name);
    else if (event?.type !== "ApiKeyRotated") continue;
    const { keyId, prefix } = event.data;
    const words = `key ${keyNames.get(keyId)} (${prefix}...)`;
    keys.set(keyId, words);
    keys.set(prefix, words); // older events name a key by its prefix
  }
  return nameBy(keys, await namesOfMembers(eventStore, members));
}

async function namesOfMembers(eventStore: EventStore, principals: Iterable<Principal>): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const ids = new Set([...principals].filter(({ kind }) => kind === "member").map(({ id }) => id));
  for (const id of ids) {
    const name = await nameOfMember(eventStore, id);
    if (name !== undefined) names.set(id, name);
  }
  return names;
}

async function nameOfMember(eventStore: EventStore, memberId: string): Promise<string | undefined> {
  let name: string | undefined;
  try {
    for await (const stored of eventStore.read(streamOf.member(memberId))) {
      const event = decodeOn("member", stored);
      if (event?.type === "MemberInvited") name = event.data.name ?? event.data.email;
      if (event?.type === "MemberRenamed") name = event.data.name;
      if (event?.type === "MemberRemoved" || event?.type === "MemberErased") name = undefined;
    }
  } catch (error) {
    if (!(error instanceof StreamDeleted)) throw error;
    return undefined;
  }
  return name;
}
