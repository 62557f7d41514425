import { changeRole, eraseMember, removeMember } from "../../../commands/members/manage.js";
import type { Done, FormOf, PortalDeps } from "../page.js";
import { originOf, type SignedInVisit } from "../visit.js";
import { membersPage } from "./members.js";
import { membersPath } from "./membersPath.js";

const done = (line: string): Done => ({ goTo: membersPath, notice: { kind: "done", lines: [line] } });

const form = (what: string, submit: FormOf<SignedInVisit>["submit"]): FormOf<SignedInVisit> => ({
  path: `${membersPath}/{memberId}/${what}`,
  access: "members",
  page: membersPage,
  submit,
});

const meant = (visit: SignedInVisit) => ({ organisationId: visit.person.organisationId, member: visit.params["memberId"] ?? "" });

const roleForm = form("role", async (visit, fields, { members }: PortalDeps) => {
  const { email, before, role } = await changeRole(members, { ...meant(visit), role: fields.get("role") }, originOf(visit));
  return done(before === role ? `${email} is ${role} already.` : `${email} is ${role} now, and signs in again.`);
});

const removeForm = form("remove", async (visit, _, { members }) => {
  const { email } = await removeMember(members, meant(visit), originOf(visit));
  return done(`${email} is removed.`);
});

const eraseForm = form("erase", async (visit, _, { members }) => {
  await eraseMember(members, meant(visit), originOf(visit));
  return done("The person is erased.");
});

export const memberForms = [roleForm, removeForm, eraseForm];
