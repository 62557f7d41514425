// Every command is in docs/operations.md, and every command that a document names exists, with its options.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import * as audit from "../../src/cli/audit/audit.js";
import * as imports from "../../src/cli/imports.js";
import * as keys from "../../src/cli/keys.js";
import * as localities from "../../src/cli/localities.js";
import * as members from "../../src/cli/members.js";
import * as org from "../../src/cli/organisations.js";
import * as projections from "../../src/cli/projections.js";
import { addRoleCommands } from "../../src/cli/roles.js";
import * as webhooks from "../../src/cli/webhooks.js";
import { allProjections } from "../../src/projections/allProjections.js";

const program = new Command();
addRoleCommands(program);
for (const [name, { addCommands }] of Object.entries({ org, keys, webhooks, members, imports, projections, localities, audit }))
  addCommands(program.command(name));

const leaves = program.commands.flatMap((group) =>
  group.commands.length === 0 ? [group.name()] : group.commands.map((command) => `${group.name()} ${command.name()}`),
);

const operations = readFileSync("docs/operations.md", "utf8");

test("docs/operations.md has every command", () => {
  const table = operations.slice(operations.indexOf("## Command line"), operations.indexOf("## Real stores"));
  const named = [...table.matchAll(/`([a-z][^`]*)`/g)].flatMap(([, text = ""]) => alternatives(text));
  expect(leaves.filter((leaf) => !named.some((text) => `${text} `.startsWith(`${leaf} `)))).toEqual([]);
});

/** `webhooks remove\|rotate ENDPOINT` names two commands. */
function alternatives(text: string): string[] {
  const [group = "", names = "", ...rest] = text.split(" ");
  return names.split("\\|").map((name) => [group, name, ...rest].join(" "));
}

const documents = ["README.md", "CONTRIBUTING.md", ...filesIn("docs"), ...filesIn("docs/decisions")];
const lines = documents.flatMap((document) =>
  [...readFileSync(document, "utf8").matchAll(/(?:npm run -s waybill --|^ *\$ waybill|\n {4}waybill) ([a-z][^|)`\n]*)/g)].map(
    ([, line = ""]) => [document, line.trim()] as const,
  ),
);

function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));
}

test.each(lines)("%s: %s", (_, line) => {
  let command = program;
  for (const word of line.split(/\s+/)) {
    const next = command.commands.find((each) => each.name() === word);
    if (next) command = next;
    else if (word.startsWith("--")) expect(command.options.map(({ long }) => long)).toContain(word);
  }
  expect(command.commands, `${line} names a command`).toEqual([]);
});

test("every projection is in the help of `projections rebuild` and in the examples of docs/operations.md", () => {
  const names = allProjections.map(({ name }) => name);
  const rebuild = program.commands.find((group) => group.name() === "projections")?.commands.find((each) => each.name() === "rebuild");
  const helped = rebuild?.registeredArguments[0]?.description.split(";")[0]?.split(", ");
  expect(helped).toEqual(names);
  for (const example of ["projections status", "projections rebuild"]) {
    const [, output = ""] = new RegExp(`<!-- example ${example} -->([\\s\\S]*?)<!-- end -->`).exec(operations) ?? [];
    expect([...output.matchAll(/^(\w+) +\d/gm)].map(([, name]) => name)).toEqual(names);
  }
});
