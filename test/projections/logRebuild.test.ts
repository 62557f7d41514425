import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import type { MemberDeps } from "../../src/commands/members/changeMember.js";
import { joinByLink } from "../../src/commands/members/joinOrganisation.js";
import { changeRole, eraseMember, inviteMember, removeMember } from "../../src/commands/members/manageMembers.js";
import { recordRefusals, recordSignIn } from "../../src/commands/members/signInRecords.js";
import { createKey, revokeKey } from "../../src/commands/organisations/keys.js";
import { applyOrganisation } from "../../src/commands/organisations/organisation.js";
import { streamOf } from "../../src/events/streams.js";
import { memberDeps } from "../../src/main/adapters.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { fileFor, origin } from "../commands/support.js";
import { eventually } from "../support/eventually.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";
import { organisationDeps } from "../support/service.js";

const organisationId = "remembered";
let model: ReadModel;
let members: MemberDeps;
beforeAll(async () => {
  model = await startReadModel();
  members = memberDeps(model);
});
afterAll(() => model?.close());

const rows = async () =>
  (await model.pool.query<{ text: string }>("select each::text as text from log_entries as each order by position")).rows;
const types = async () =>
  (await model.pool.query<{ type: string }>("select type from log_entries order by position, revision")).rows.map(({ type }) => type);
const rebuilt = (names: readonly string[]) =>
  rebuild({
    ...{ pool: model.pool, eventStore: model.eventStore, logger: pino({ level: "silent" }), signal: new AbortController().signal },
    migrations: migrationStatements(),
    projections: allProjections.filter(({ name }) => names.includes(name)),
  });

test("a rebuild gives the same log, also after a member was erased; who erased the member is recorded once", async () => {
  const organisations = organisationDeps(model.pool, model.eventStore);
  await applyOrganisation(organisations, fileFor(organisationId), origin);
  const { prefix } = await createKey(organisations, { organisationId, name: "laptop" }, origin);
  await revokeKey(organisations, { organisationId, prefix }, origin);
  const boss = await inviteMember(members, { organisationId, email: "boss@example.com", role: "admin" }, origin);
  const signedIn = await joinByLink(members, { token: boss.token, password: "seven lazy harbours" }, "test");
  await recordSignIn(members, signedIn, { how: "link", correlationId: "test" }, console.error);
  recordRefusals(members, [signedIn], "test", console.error);
  await eventually(async () => {
    await model.project();
    return (await types()).includes("MemberSignInRefused");
  });
  const gone = await inviteMember(members, { organisationId, email: "gone@example.com", role: "viewer" }, origin);
  await changeRole(members, { organisationId, member: "gone@example.com", role: "operator" }, origin);
  await removeMember(members, { organisationId, member: "gone@example.com" }, origin);
  await model.project();
  expect((await types()).slice(-3)).toEqual(["MemberInvited", "MemberRoleChanged", "MemberRemoved"]);

  const dies = { ...members, eventStore: { ...members.eventStore, deleteStream: () => Promise.reject(new Error("killed")) } };
  await expect(eraseMember(dies, { organisationId, member: "gone@example.com" }, origin)).rejects.toThrow("killed");
  await eraseMember(members, { organisationId, member: gone.memberId }, origin);
  await model.project();
  expect(await types()).toEqual([
    ...["CatalogueApplied", "ApiKeyCreated", "ApiKeyRevoked", "MemberInvited", "MemberJoined", "MemberPasswordSet"],
    ...["MemberSignedIn", "MemberSignInRefused", "MemberForgotten"],
  ]);
  const before = await rows();
  for (const names of [["log"], allProjections.map(({ name }) => name)]) {
    const { comparisons } = await rebuilt(names);
    const log = comparisons.find(({ projection }) => projection === "log");
    expect(log?.live).toEqual(log?.rebuilt);
    expect(log?.rebuilt.rows).toBe(9);
    expect(await rows()).toEqual(before);
  }
  await expect(model.eventStore.last(streamOf.member(gone.memberId))).rejects.toThrow();
});
