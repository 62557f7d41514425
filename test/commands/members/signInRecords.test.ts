import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MemberDeps } from "../../../src/commands/members/changeMember.js";
import { dropSignInMonths, recordRefusals, recordSignIn } from "../../../src/commands/members/signInRecords.js";
import { streamOf } from "../../../src/events/streams.js";
import { memberDeps } from "../../../src/main/adapters.js";
import { StoreUnavailable } from "../../../src/portErrors.js";
import type { EventStore } from "../../../src/ports/eventStore.js";
import { eventually } from "../../support/eventually.js";
import { type ReadModel, startReadModel } from "../../support/readModel.js";

let model: ReadModel;
let deps: MemberDeps;
beforeAll(async () => {
  model = await startReadModel();
  deps = memberDeps(model);
});
afterAll(() => model?.close());

const someone = () => ({ organisationId: "acme", memberId: randomUUID() });
const failed = (error: unknown) => {
  throw error;
};
const signInsOf = async (memberId: string, month: string) => {
  const found = [];
  for await (const event of model.eventStore.read(streamOf.signIns(`${memberId}-${month}`))) found.push(event);
  return found;
};
const at = (time: string): MemberDeps => ({ ...deps, now: async () => new Date(time) });

test("a sign-in is recorded in the member's stream of the month, in UTC, by id alone", async () => {
  const member = someone();
  const how = { how: "singleSignOn", correlationId: "request-1" } as const;
  await recordSignIn(at("2026-03-31T23:59:59.999Z"), member, how, failed);
  await recordSignIn(at("2026-04-01T00:00:00.000Z"), member, how, failed);
  const [march, april] = [await signInsOf(member.memberId, "2026-03"), await signInsOf(member.memberId, "2026-04")];
  expect(march.map(({ type, data }) => ({ type, data }))).toEqual([
    {
      type: "MemberSignedIn",
      data: { ...member, by: { kind: "member", id: member.memberId }, at: "2026-03-31T23:59:59.999Z", how: "singleSignOn" },
    },
  ]);
  expect(april).toHaveLength(1);
});

test("refusals at the same moment are all recorded", async () => {
  const member = someone();
  for (let n = 0; n < 5; n += 1) recordRefusals(at("2026-03-02T10:00:00Z"), [member], "request-2", failed);
  await eventually(async () => (await signInsOf(member.memberId, "2026-03")).length === 5);
});

test("an event store that fails, or does not answer, does not fail a sign-in or hold it up for good", async () => {
  const failures: unknown[] = [];
  const append = () => Promise.reject(new StoreUnavailable("event store", "away"));
  const away: EventStore = { ...model.eventStore, append };
  await recordSignIn({ ...deps, eventStore: away }, someone(), { how: "password", correlationId: "1" }, (error) => failures.push(error));
  expect(failures).toHaveLength(1);
  const silent: EventStore = { ...model.eventStore, last: () => new Promise(() => undefined) };
  await recordSignIn({ ...deps, eventStore: silent }, someone(), { how: "password", correlationId: "1" }, failed);
  recordRefusals({ ...deps, eventStore: away }, [someone(), someone()], "1", (error) => failures.push(error));
  await eventually(() => failures.length === 3);
});

test("a month of sign-ins is deleted when it ended more than 90 days ago: stream and entries", async () => {
  const [old, other] = [someone(), someone()];
  await model.withoutProjector(async () => {
    for (const { memberId } of [old, other])
      await recordSignIn(at("2026-01-05T08:00:00Z"), { organisationId: "acme", memberId }, { how: "password", correlationId: "1" }, failed);
    await recordSignIn(at("2026-02-05T08:00:00Z"), old, { how: "password", correlationId: "1" }, failed);
    for (const month of ["2026-01", "2026-02"])
      await model.pool.query(
        `insert into log_entries (event_id, organisation_id, at, position, actor, what, type, about_kind, about_id, details, stream, revision)
         select gen_random_uuid(), 'acme', $2, 1, 'member:x', 'sign-ins', 'MemberSignedIn', 'member', 'x', '{}', stream, 0 from unnest($1::text[]) as stream`,
        [[old, other].map(({ memberId }) => streamOf.signIns(`${memberId}-${month}`)), `${month}-05T08:00:00Z`],
      );
    const entries = async () =>
      (await model.pool.query<{ stream: string }>("select stream from log_entries")).rows.map(({ stream }) => stream.slice(-7)).toSorted();
    const dropAt = (time: string) => dropSignInMonths({ pool: poolAt(model.pool, time), eventStore: model.eventStore });
    // January ended on 1 February. 90 days later is 2 May.
    expect(await dropAt("2026-05-01T23:59:59.999Z")).toBe(0);
    expect(await dropAt("2026-05-02T00:00:00.000Z")).toBe(0);
    expect(await signInsOf(old.memberId, "2026-01")).toHaveLength(1);
    expect(await dropAt("2026-05-02T00:00:00.001Z")).toBe(2);
    expect(await entries()).toEqual(["2026-02", "2026-02"]);
    await expect(signInsOf(old.memberId, "2026-01")).rejects.toThrow();
    expect(await signInsOf(old.memberId, "2026-02")).toHaveLength(1);
    expect(await dropAt("2026-05-02T00:00:00.001Z")).toBe(0);
    await model.pool.query("delete from log_entries");
  });
});

/** The database as it would be at that time. */
const poolAt = (pool: Pool, time: string): Pool =>
  ({ query: (text: string, values: unknown[]) => pool.query(text.replaceAll("now()", `'${time}'::timestamptz`), values) }) as never;
