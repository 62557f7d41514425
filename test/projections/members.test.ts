import { randomUUID } from "node:crypto";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrationStatements } from "../../src/adapters/postgres/migrate.js";
import type { MemberDeps } from "../../src/commands/members/changeMember.js";
import { joinByLink } from "../../src/commands/members/joinOrganisation.js";
import { changeRole, eraseMember, inviteMember, makeLink, removeMember } from "../../src/commands/members/manageMembers.js";
import { renameMember } from "../../src/commands/members/ownAccount.js";
import { findSession, openSession } from "../../src/commands/members/sessions.js";
import { applyOrganisation } from "../../src/commands/organisations/organisation.js";
import { encode } from "../../src/events/codec.js";
import { streamOf } from "../../src/events/streams.js";
import { memberDeps } from "../../src/main/adapters.js";
import { noStream } from "../../src/ports/eventStore.js";
import { allProjections } from "../../src/projections/allProjections.js";
import { rebuild } from "../../src/projections/rebuild/rebuild.js";
import { listMembers } from "../../src/queries/organisations/organisations.js";
import { fileFor, origin } from "../commands/support.js";
import { type ReadModel, startReadModel } from "../support/readModel.js";
import { organisationDeps } from "../support/service.js";

const organisationId = "people";
const password = "seven lazy harbours";
let model: ReadModel;
let deps: MemberDeps;
beforeAll(async () => {
  model = await startReadModel();
  deps = memberDeps(model);
  await applyOrganisation(organisationDeps(model.pool, model.eventStore), fileFor(organisationId), origin);
});
afterAll(() => model?.close());

const invite = (from: MemberDeps, email: string, role = "admin") => inviteMember(from, { organisationId, email, role }, origin);
const rename = (from: MemberDeps, memberId: string, name: string) =>
  renameMember(from, { organisationId, memberId, by: { kind: "member", id: memberId } }, name, "test");
const rows = async () => (await model.pool.query("select each::text as text from members as each order by member_id")).rows;
const rebuilt = (names: readonly string[]) =>
  rebuild({
    ...{ pool: model.pool, eventStore: model.eventStore, logger: pino({ level: "silent" }), signal: new AbortController().signal },
    migrations: migrationStatements(),
    projections: allProjections.filter(({ name }) => names.includes(name)),
  });

test("the projector writes the rows of commands that died before they could", async () => {
  const dies: MemberDeps = { ...deps, project: () => Promise.reject(new Error("killed")) };
  const boss = await invite(deps, "boss@example.com");
  const { credentialsRevision } = await joinByLink(deps, { token: boss.token, password }, "test");
  const session = await openSession(model.pool, { memberId: boss.memberId, credentialsRevision }, undefined);
  await expect(invite(dies, "half@example.com")).rejects.toThrow("killed");
  await expect(changeRole(dies, { organisationId, member: "boss@example.com", role: "admin" }, origin)).rejects.toThrow("killed");
  const second = await invite(deps, "second@example.com");
  await joinByLink(deps, { token: second.token, password }, "test");
  await expect(rename(dies, second.memberId, "Second")).rejects.toThrow("killed");
  await expect(removeMember(dies, { organisationId, member: "boss@example.com" }, origin)).rejects.toThrow("killed");
  await model.project();
  const listed = await listMembers(organisationId, model.pool);
  expect(listed.map(({ email, name, status }) => [email, name, status])).toEqual([
    ["half@example.com", null, "invited"],
    ["second@example.com", "Second", "active"],
    ["boss@example.com", null, "removed"],
  ]);
  // The removed member's sessions end with the row, though the command could not end them.
  expect(await findSession(model.pool, session)).toBeUndefined();
});

test("a rebuild gives the same rows, also of members that no projector has seen, and sessions go on", async () => {
  const ada = await invite(deps, "ada@example.com");
  const { credentialsRevision } = await joinByLink(deps, { token: ada.token, password }, "test");
  const session = await openSession(model.pool, { memberId: ada.memberId, credentialsRevision }, undefined);
  await invite(deps, "gone@example.com", "viewer");
  await eraseMember(deps, { organisationId, member: "gone@example.com" }, origin);
  await model.project();
  const before = await model.withoutProjector(async () => {
    await invite(deps, "unseen@example.com", "viewer");
    await makeLink(deps, { organisationId, member: "unseen@example.com" }, origin);
    await changeRole(deps, { organisationId, member: "unseen@example.com", role: "operator" }, origin);
    await rename(deps, ada.memberId, "Ada Lovelace");
    const unseen = await rows();
    for (const names of [["members"], allProjections.map(({ name }) => name)]) {
      const { comparisons } = await rebuilt(names);
      const members = comparisons.find(({ projection }) => projection === "members");
      expect(members?.live).toEqual(members?.rebuilt);
      expect(await rows()).toEqual(unseen);
    }
    expect(await findSession(model.pool, session)).toMatchObject({ email: "ada@example.com", name: "Ada Lovelace" });
    return unseen;
  });
  await model.project();
  expect(await rows()).toEqual(before);
});

test("of two member streams with one e-mail the first is kept, and the projector goes on", async () => {
  const first = await invite(deps, "twice@example.com", "viewer");
  const memberId = randomUUID();
  const data = {
    organisationId,
    email: "TWICE@example.com",
    role: "admin" as const,
    linkSha256: "x",
    linkExpiresAt: "2026-03-01T00:00:00.000Z",
  };
  const who = { by: origin.by, at: "2026-03-01T00:00:00.000Z" };
  const event = encode("MemberInvited", { ...data, ...who }, { organisation: organisationId, ...origin }, randomUUID());
  await model.eventStore.append(streamOf.member(memberId), [event], noStream);
  await invite(deps, "after@example.com", "viewer");
  await model.project();
  const found = (await listMembers(organisationId, model.pool)).filter(({ email }) => /twice/i.test(email));
  expect(found).toMatchObject([{ memberId: first.memberId, role: "viewer" }]);
});
