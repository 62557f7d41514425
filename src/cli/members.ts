import type { Command } from "commander";
import { changeRole, eraseMember, inviteMember, makeLink, removeMember } from "../commands/members/manageMembers.js";
import { linkAddress } from "../domain/members.js";
import { listMembers } from "../queries/organisations/organisations.js";
import { command, organisationCommands, print, printList } from "./outcome.js";
import { type CommandContext, withOrganisation, withStores } from "./withStores.js";

export function addCommands(members: Command): void {
  const add = organisationCommands(members);
  const aboutMember = (name: string, description: string) => add(name, description).argument("<email>", "the member's e-mail");
  const roles = "admin (all), operator (all but members, keys, webhooks, the log and changes of the catalogue) or viewer (looks)";
  add("invite", "invite a person and print the sign-in link, alone and once: it works once, within 72 hours")
    .requiredOption("--email <email>", "the person's e-mail")
    .requiredOption("--role <role>", roles)
    .option("--name <name>", "how others see the person; the e-mail where left out")
    .action(command(invite));
  add("list", "the organisation's members, those who were removed last").option("--json", "as JSON").action(command(list));
  aboutMember("link", "make a new sign-in link for who forgot the password, and print it alone; the one before it is void").action(
    command(link),
  );
  aboutMember("role", "give a member another role; it ends the member's sessions")
    .requiredOption("--role <role>", roles)
    .action(command(setRole));
  aboutMember("remove", "end a member's access at once, at every process; the name stays known until `members erase`").action(
    command(remove),
  );
  aboutMember("erase", "forget a person: remove the member, and delete e-mail and name everywhere").action(command(erase));
}

async function invite({ org: organisationId, ...invitation }: { org: string; email: string; role: string; name?: string }): Promise<void> {
  await printLink(({ members, origin }) => inviteMember(members, { organisationId, ...invitation }, origin));
}

async function link(member: string, { org: organisationId }: { org: string }): Promise<void> {
  await printLink(({ members, origin }) => makeLink(members, { organisationId, member }, origin));
}

async function printLink(make: (context: CommandContext) => Promise<{ readonly token: string }>): Promise<void> {
  print(await withStores(async (context) => linkAddress(context.config.publicUrl, (await make(context)).token)));
}

async function list({ org, json }: { org: string; json?: boolean }): Promise<void> {
  const found = await withOrganisation(org, ({ pool }) => listMembers(org, pool));
  const header = ["EMAIL", "NAME", "ROLE", "STATUS", "JOINED", "ID"];
  printList(found, json, header, ({ email, name, role, status, joinedAt, memberId }) => [email, name, role, status, joinedAt, memberId]);
}

async function setRole(member: string, { org: organisationId, role }: { org: string; role: string }): Promise<void> {
  const changed = await withStores(({ members, origin }) => changeRole(members, { organisationId, member, role }, origin));
  print(`${changed.email} is ${changed.before === changed.role ? `${changed.role} already` : `${changed.role} now`}`);
}

async function remove(member: string, { org: organisationId }: { org: string }): Promise<void> {
  const { email } = await withStores(({ members, origin }) => removeMember(members, { organisationId, member }, origin));
  print(`${email} removed`);
}

async function erase(member: string, { org: organisationId }: { org: string }): Promise<void> {
  const { memberId } = await withStores(({ members, origin }) => eraseMember(members, { organisationId, member }, origin));
  print(`${memberId} erased`);
}
