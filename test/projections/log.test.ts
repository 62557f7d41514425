import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { isLoggedEvent, type LoggedEvent } from "../../src/domain/log/sentences.js";
import { type EventType, eventSchemas, isEventOn, type StreamKind, streamEvents } from "../../src/events/registry.js";
import { streamOf } from "../../src/events/streams.js";
import type { StoredEvent } from "../../src/ports/eventStore.js";
import { log as projection } from "../../src/projections/models/log.js";
import { useBatches } from "./batchStage.js";

const stage = useBatches();
const member = { kind: "member", id: randomUUID() } as const;
const at = "2026-03-01T01:02:03.000Z";

interface Given {
  readonly type: string;
  readonly data: object;
  readonly stream: string;
  readonly metadata?: Partial<StoredEvent["metadata"]>;
}

/** Events in the order of the log, each at the next revision of its stream. */
function log(...given: readonly Given[]): StoredEvent[] {
  const first = stage.places(given.length);
  return given.map(({ type, data, stream, metadata }, index) => {
    const commit = BigInt(first + index);
    return {
      ...{ stream, type, data, id: randomUUID(), recordedAt: new Date(at), position: { commit, prepare: commit } },
      revision: BigInt(given.slice(0, index).filter((each) => each.stream === stream).length),
      metadata: { organisation: "acme", actor: "cli:operator", $correlationId: "test", v: 1, ...metadata },
    };
  });
}

/** To the log alone: other projections would need the rest of each story. */
const apply = (events: readonly StoredEvent[]) => stage.apply(events, { projections: [projection] });
const entries = () => stage.rowsOf("log_entries");
const shown = async () => (await entries()).map(({ type, actor, about_id, details }) => ({ type, actor, about: about_id, details }));

/** Why the log shows no entry for an event. */
const unloggedEvents: Readonly<Record<Exclude<EventType, LoggedEvent>, string>> = {
  LogCreated: "belongs to no organisation",
  LocalitiesImported: "belongs to no organisation",
  CatalogueEntryPut: "is part of a change that CatalogueApplied sums up",
  CatalogueEntryRemoved: "is part of a change that CatalogueApplied sums up",
  MemberErased: "takes the member's entries away; MemberForgotten stays",
  FirstStepsPutAway: "changes nothing but what Overview shows",
  ImportStarted: "is a worker's",
  RowAccepted: "is a worker's",
  RowRejected: "is a worker's",
  ImportCompleted: "is a worker's",
  ImportFailed: "is a worker's",
  RowsClaimed: "is a worker's",
  ReversalDecided: "is followed by RowsReversed",
  QuotesGenerated: "changes nothing; Quotes lists them",
  QuoteGenerated: "changes nothing; Quotes lists them",
};

test("every type of event is in the log, or left out for a reason", () => {
  for (const type of Object.keys(eventSchemas)) {
    const reason = Object.hasOwn(unloggedEvents, type) ? unloggedEvents[type as keyof typeof unloggedEvents] : "";
    expect(isLoggedEvent(type) !== reason.length > 0, `${type} is neither in the log nor left out`).toBe(true);
  }
});

test("each recorded example of an event that the log shows gives one entry, and no other does", async () => {
  const folder = "test/fixtures/events";
  const kinds = Object.keys(streamEvents) as StreamKind[];
  for (const name of await readdir(folder)) {
    const { type, data, metadata } = JSON.parse(await readFile(`${folder}/${name}`, "utf8")) as Given & { type: EventType };
    const kind = kinds.find((each) => isEventOn(each, type)) as StreamKind;
    const before = (await entries()).length;
    const now = type === "MemberSignedIn" || type === "MemberSignInRefused" ? { at: new Date().toISOString() } : {};
    await apply(log({ type, data: { ...data, ...now }, stream: streamOf[kind](randomUUID()), metadata: metadata ?? {} }));
    const { by, reason } = data as { by?: { kind: string }; reason?: string };
    const isService = (type === "ImportCancelled" && reason !== undefined) || by?.kind === "worker";
    expect((await entries()).length - before, name).toBe(isLoggedEvent(type) && !isService ? 1 : 0);
  }
});

const key = { keyId: "k1", name: "Nora's laptop", sha256: "secret-hash", prefix: "wb_live_9fQ2", by: member, at };
const invited = {
  organisationId: "acme",
  email: "nora@example.com",
  name: "Nora Fields",
  role: "viewer",
  linkSha256: "x",
  linkExpiresAt: at,
};

test("rows name nobody: ids only, no names, e-mails, notes, addresses or hashes", async () => {
  await apply(
    log(
      { type: "ApiKeyCreated", data: key, stream: "organisation-acme", metadata: { v: 2 } },
      { type: "MemberInvited", data: { ...invited, by: member, at }, stream: streamOf.member(randomUUID()) },
      {
        type: "WebhookAdded",
        data: { endpointId: randomUUID(), url: "https://nora.example/hook", events: [], by: member, at },
        stream: "organisation-acme",
      },
      { type: "RowsDismissed", data: { importId: "i1", rows: [2, 3], note: "Nora said so", by: member, at }, stream: "corrections-i1" },
      {
        type: "RowsReversed",
        data: { importId: "i1", reversalId: randomUUID(), rows: "all", count: 4, reason: "asked by Nora", by: member, at },
        stream: "reversals-i1",
      },
    ),
  );
  const rows = await entries();
  expect(rows).toHaveLength(5);
  expect(JSON.stringify(rows, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value))).not.toMatch(
    /nora|laptop|secret-hash|9fQ2/i,
  );
});

test("what workers do is not in it", async () => {
  const worker = { kind: "worker", id: "w1" };
  await apply(
    log(
      { type: "ImportCancelled", data: { importId: "i1", by: worker, progress: 0, at }, stream: "import-i1", metadata: { v: 2 } },
      { type: "WebhookPaused", data: { endpointId: randomUUID(), by: worker, at }, stream: "organisation-acme" },
    ),
  );
  expect(await entries()).toEqual([]);
});

test("a redelivered batch, and one that was half seen, change nothing", async () => {
  const memberId = randomUUID();
  const events = log(
    { type: "MemberInvited", data: { ...invited, by: member, at }, stream: streamOf.member(memberId) },
    { type: "MemberRoleChanged", data: { role: "admin", by: member, at }, stream: streamOf.member(memberId) },
    { type: "MemberRemoved", data: { by: member, at }, stream: streamOf.member(memberId) },
  );
  await apply(events.slice(0, 2));
  await apply(events);
  const once = await entries();
  expect(once.map(({ type }) => type).toSorted()).toEqual(["MemberInvited", "MemberRemoved", "MemberRoleChanged"]);
  await apply(events);
  expect(await entries()).toEqual(once);
});

test("an erased member's own entries go; who erased somebody, and what the person did to others, stays", async () => {
  const gone = { kind: "member", id: randomUUID() } as const;
  const events = log(
    { type: "MemberInvited", data: { ...invited, by: member, at }, stream: streamOf.member(gone.id) },
    { type: "ApiKeyCreated", data: { ...key, by: gone }, stream: "organisation-acme", metadata: { v: 2 } },
    { type: "MemberErased", data: { by: member, at }, stream: streamOf.member(gone.id) },
    { type: "MemberForgotten", data: { memberId: gone.id, by: member, at }, stream: "organisation-acme" },
  );
  await apply(events.slice(0, 1));
  await apply(events.slice(1));
  const left = await shown();
  expect(left).toContainEqual({ type: "ApiKeyCreated", actor: `member:${gone.id}`, about: "k1", details: {} });
  expect(left).toContainEqual({ type: "MemberForgotten", actor: `member:${member.id}`, about: gone.id, details: {} });
  expect(left).toHaveLength(2);
});

test("a webhook's new secret is told from another change, in one batch and in several", async () => {
  const endpointId = randomUUID();
  const of = (type: string, generation?: number): Given => ({
    type,
    data: { endpointId, url: "https://a.example", events: ["import.completed"], by: member, at, ...(generation ? { generation } : {}) },
    stream: "organisation-acme",
  });
  const events = log(
    of("WebhookAdded"),
    of("WebhookChanged", 1),
    of("WebhookChanged", 2),
    of("WebhookChanged", 2),
    of("WebhookChanged", 3),
  );
  const secrets = async () =>
    (await entries()).toSorted((one, other) => Number(one["position"]) - Number(other["position"])).map(({ details }) => details);
  const expected = [{}, {}, { newSecret: true }, {}, { newSecret: true }];
  for (const event of events.slice(0, 3)) await apply([event]);
  await apply(events.slice(3));
  expect((await secrets()).map((details) => ({ ...(details as object), generation: undefined }))).toEqual(
    expected.map((each) => ({ ...each, generation: undefined })),
  );
});

test("sign-ins are written while their month is kept: not those of a month that ended more than 90 days ago", async () => {
  const dayMs = 24 * 3_600_000;
  const now = new Date();
  const monthAgo = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 15)).toISOString();
  const signedIn = (when: string): Given => ({
    type: "MemberSignedIn",
    data: { organisationId: "acme", memberId: member.id, how: "password", by: member, at: when },
    stream: streamOf.signIns(`${member.id}-${when.slice(0, 7)}`),
  });
  const isKept = (when: string) => {
    const end = Date.UTC(Number(when.slice(0, 4)), Number(when.slice(5, 7)), 1);
    return end > now.getTime() - 90 * dayMs;
  };
  const times = [1, 2, 3, 4, 5, 12].map(monthAgo);
  await apply(log(...times.map(signedIn)));
  const written = (await entries()).map((row) => (row["at"] as Date).toISOString()).toSorted();
  expect(written).toEqual(times.filter(isKept).toSorted());
  expect(written.length).toBeGreaterThan(0);
  expect(written.length).toBeLessThan(times.length);
});
