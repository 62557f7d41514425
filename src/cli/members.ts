import type { Command } from "commander";
import { changeRole, eraseMember, inviteMember, makeLink, removeMember } from "../commands/members/manageMembers.js";
import { linkAddress } from "../domain/members.js";
import { listMembers } from "../queries/organisations/organisations.js";
import { command, organisationCommands, print, printList } from "./outcome.js";
import { type CommandContext, withOrganisation, withStores } from "./withStores.js";

export function addCommands(members: Command): void {
  const addCommand = organisationCommands(members);
  const addMemberCommand = (name: string, description: string) => addCommand(name, description).argument("<email>", "the member's e-mail");
  const roleHelp = "admin (all), operator (all but members, keys, webhooks, the log and changes of the catalogue) or viewer (looks)";
  addCommand("invite", "invite a person and print the sign-in link, alone and once: it works once, within 72 hours")
    .requiredOption("--email <email>", "the person's e-mail")
    .requiredOption("--role <role>", roleHelp)
    .option("--name <name>", "the name that others see; the e-mail by default")
    .action(command(invite));
  addCommand("list", "the organisation's members; removed ones come last").option("--json", "as JSON").action(command(list));
  addMemberCommand(
    "link",
    "make a new sign-in link for a member who forgot the password, and print only that; earlier links become void",
  ).action(command(link));
  addMemberCommand("role", "give a member another role; it ends the member's sessions")
    .requiredOption("--role <role>", roleHelp)
    .action(command(setRole));
  addMemberCommand("remove", "end a member's access at once, at every process; the name stays known until `members erase`").action(
    command(remove),
  );
  addMemberCommand("erase", "forget a person: remove the member, and delete e-mail and name everywhere").action(command(erase));
}

async function invite({ org: organisationId, ...invitation }: { org: string; email: string; role: string; name?: string }): Promise<void> {
  await printLink(({ members, origin }) => inviteMember(members, { organisationId, ...invitation }, origin));
}

async function link(member: string, { org: organisationId }: { org: string }): Promise<void> {
  await printLink(({ members, origin }) => makeLink(members, { organisationId, member }, origin));
}

async function printLink(createLink: (context: CommandContext) => Promise<{ readonly token: string }>): Promise<void> {
  print(await withStores(async (context) => linkAddress(context.config.publicUrl, (await createLink(context)).token)));
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
