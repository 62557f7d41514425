import { randomUUID } from "node:crypto";
import type { Command } from "commander";
import type { MemberDeps } from "../commands/members/changeMember.js";
import type { Origin } from "../commands/organisations/organisation.js";
import { operator } from "../domain/principal.js";
import { CommandFault, command, print, printJson, table } from "./outcome.js";
import { type CommandContext, withStores } from "./withStores.js";

export function addMemberCommands(program: Command): void {
  const members = program.command("members").description("the people of an organisation, who use the portal");
  const about = (name: string, description: string) =>
    members.command(name).description(description).requiredOption("--org <id>", "the organisation");
  const roles = "admin (all), operator (all but members, keys and webhooks) or viewer (looks)";
  about("invite", "invite a person and print the sign-in link, alone and once: it works once, within 72 hours")
    .requiredOption("--email <email>", "the person's e-mail")
    .requiredOption("--role <role>", roles)
    .option("--name <name>", "how others see the person; the e-mail where left out")
    .action(command(invite));
  about("list", "the organisation's members, those who were removed last").option("--json", "as JSON").action(command(list));
  about("link", "make a new sign-in link for who forgot the password, and print it alone; the one before it is void")
    .argument("<email>", "the member's e-mail")
    .action(command(link));
  about("role", "give a member another role; it ends the member's sessions")
    .argument("<email>", "the member's e-mail")
    .requiredOption("--role <role>", roles)
    .action(command(changeRole));
  about("remove", "end a member's access at once, at every process; the name stays known until `members erase`")
    .argument("<email>", "the member's e-mail")
    .action(command(remove));
  about("erase", "forget a person: remove the member, and delete e-mail and name everywhere")
    .argument("<email>", "the member's e-mail")
    .action(command(erase));
}

type Commands = typeof import("../commands/members/invite.js") & typeof import("../commands/members/manage.js");
type Work<Result> = (commands: Commands, deps: MemberDeps, origin: Origin, context: CommandContext) => Promise<Result>;

function withMembers<Result>(work: Work<Result>): Promise<Result> {
  return withStores(async (context) => {
    const [inviting, managing, { memberDeps }] = await Promise.all([
      import("../commands/members/invite.js"),
      import("../commands/members/manage.js"),
      import("../main/adapters.js"),
    ]);
    return work({ ...inviting, ...managing }, memberDeps(context), { by: operator, correlationId: randomUUID() }, context);
  });
}

interface Invitation {
  readonly org: string;
  readonly email: string;
  readonly role: string;
  readonly name?: string;
}

async function invite({ org: organisationId, ...invitation }: Invitation): Promise<void> {
  await printLink((commands, deps, origin) => commands.inviteMember(deps, { organisationId, ...invitation }, origin));
}

async function link(member: string, { org: organisationId }: { org: string }): Promise<void> {
  await printLink((commands, deps, origin) => commands.makeLink(deps, { organisationId, member }, origin));
}

async function printLink(make: Work<{ readonly token: string }>): Promise<void> {
  const { linkAddress } = await import("../domain/members.js");
  print(
    await withMembers(async (commands, deps, origin, context) => {
      const { token } = await make(commands, deps, origin, context);
      return linkAddress(context.config.publicUrl, token);
    }),
  );
}

async function list({ org, json }: { org: string; json?: boolean }): Promise<void> {
  const found = await withStores(async ({ pool }) => {
    const [{ listMembers }, { listOrganisations }] = await Promise.all([
      import("../queries/organisations/members.js"),
      import("../queries/organisations/organisations.js"),
    ]);
    if (!(await listOrganisations(pool)).some(({ id }) => id === org)) throw new CommandFault(`There is no organisation ${org}.`);
    return listMembers(pool, org);
  });
  if (json) return printJson(found);
  const rows = found.map(({ email, name, role, status, joinedAt, memberId }) => [
    email,
    name ?? "-",
    role,
    status,
    joinedAt?.toISOString() ?? "-",
    memberId,
  ]);
  print(table(["EMAIL", "NAME", "ROLE", "STATUS", "JOINED", "ID"], rows));
}

async function changeRole(member: string, { org: organisationId, role }: { org: string; role: string }): Promise<void> {
  const changed = await withMembers((commands, deps, origin) => commands.changeRole(deps, { organisationId, member, role }, origin));
  print(`${changed.email} is ${changed.before === changed.role ? `${changed.role} already` : `${changed.role} now`}`);
}

async function remove(member: string, { org: organisationId }: { org: string }): Promise<void> {
  const { email } = await withMembers((commands, deps, origin) => commands.removeMember(deps, { organisationId, member }, origin));
  print(`${email} removed`);
}

async function erase(member: string, { org: organisationId }: { org: string }): Promise<void> {
  const { memberId } = await withMembers((commands, deps, origin) => commands.eraseMember(deps, { organisationId, member }, origin));
  print(`${memberId} erased`);
}
