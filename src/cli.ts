#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { escapeControls, watchOutput } from "./cli/outcome.js";
import { addRoleCommands } from "./cli/roles.js";

const program = new Command("waybill")
  .exitOverride() // commander throws instead of exiting, so that the process ends only when all output is written, for example after --help
  .description("Freight quotes, shipment imports and fulfilment activity imports, event-sourced.")
  .configureOutput({
    outputError: (fault, write) => write(`${escapeControls(fault.trimEnd().replaceAll("\n", " "))} (--help explains the commands)\n`),
  })
  .addHelpText(
    "after",
    "\nResults go to stdout, logs to stderr. Configuration comes from the environment; docs/operations.md lists the variables.",
  );
addRoleCommands(program);

type LoadGroup = () => Promise<{ addCommands(group: Command): void }>;

/** The modules of a group are loaded only if the command line names the group. */
const groups: readonly (readonly [name: string, description: string, load: LoadGroup])[] = [
  ["org", "organisations and their catalogues", () => import("./cli/organisations.js")],
  ["keys", "API keys of an organisation", () => import("./cli/keys.js")],
  ["webhooks", "endpoints of an organisation that are told what happens to its imports", () => import("./cli/webhooks.js")],
  ["members", "the people of an organisation, who use the portal", () => import("./cli/members.js")],
  ["imports", "imports of shipments and fulfilment activities", () => import("./cli/imports.js")],
  ["projections", "the read models that are built from the event streams", () => import("./cli/projections.js")],
  ["localities", "postcodes and suburbs of countries that do not come with the product", () => import("./cli/localities.js")],
  ["audit", "what happened, from the event streams alone, and whether the tables agree", () => import("./cli/audit/audit.js")],
];
for (const [name, description, load] of groups) {
  const group = program.command(name).description(description);
  if (process.argv.includes(name)) (await load()).addCommands(group);
}
watchOutput();
await program.parseAsync().catch((error: unknown) => {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode ||= error.exitCode;
});
